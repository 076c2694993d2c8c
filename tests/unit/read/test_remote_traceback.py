"""The traceback of a worker, which its pool hands on as text."""

from __future__ import annotations

from whydied.read.tracebacks import expanded
from whydied.records import ExceptionRaised, Frame, RaisedException

TEXT = '''
"""
Traceback (most recent call last):
  File "/usr/lib/python3.11/multiprocessing/pool.py", line 125, in worker
    result = (True, func(*args, **kwds))
                    ^^^^^^^^^^^^^^^^^^^
  File "/home/ann/train.py", line 9, in threshold
    return LIMITS[level]
           ~~~~~~^^^^^^^
KeyError: 'middle'
"""'''


def raised(*links: RaisedException) -> ExceptionRaised:
    return ExceptionRaised(where="main", chain=list(links))


def here(**fields: object) -> RaisedException:
    frame = Frame(file="/home/ann/train.py", line=15, function="<module>", user=True)
    return RaisedException(type="KeyError", module="builtins", message="'middle'", frames=[frame], **fields)  # type: ignore[arg-type]


def test_the_workers_lines_take_the_place_of_the_text() -> None:
    remote = RaisedException(type="RemoteTraceback", module="multiprocessing.pool", message=TEXT)
    found = expanded(raised(here(link="cause", near=["'medium'"]), remote))
    assert found is not None
    assert [link.type for link in found.chain] == ["KeyError", "KeyError"]
    assert [(frame.line, frame.user) for frame in found.chain[1].frames] == [(125, False), (9, True)]
    assert found.chain[1].near == ["'medium'"]


def test_other_chains_and_texts_stay() -> None:
    plain = raised(here(link="context"), here())
    assert expanded(plain) is plain
    unreadable = raised(here(link="cause"), RaisedException(type="_RemoteTraceback", module="x", message="…"))
    assert expanded(unreadable) is unreadable
    assert expanded(None) is None
