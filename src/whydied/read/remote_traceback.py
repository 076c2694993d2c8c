"""An exception that rose in a worker process and was handed on by its pool: the worker's own traceback, which comes
along as text, as links of the chain. Pure.

`multiprocessing.pool`, `concurrent.futures` and what is built on them (joblib, Keras's workers) raise the exception
anew in the parent, caused by an exception whose message is that text.
"""

from __future__ import annotations

import msgspec

from whydied.read.tracebacks import last_traceback
from whydied.records import ExceptionRaised, RaisedException

_REMOTE = frozenset({"RemoteTraceback", "_RemoteTraceback", "_Remote_Traceback"})


def expanded(raised: ExceptionRaised | None, cwd: str = "") -> ExceptionRaised | None:
    """The chain with the worker's links in the place of their text."""
    if raised is None:
        return None
    at = next((at for at, link in enumerate(raised.chain) if link.type in _REMOTE), None)
    if at is None:
        return raised
    found = last_traceback(raised.chain[at].message.replace('"""', ""), cwd)
    if not found:
        return raised
    found[0] = _with_facts(found[0], raised.chain[at - 1] if at else None)
    return msgspec.structs.replace(raised, chain=[*raised.chain[:at], *found])


def _with_facts(remote: RaisedException, here: RaisedException | None) -> RaisedException:
    """What was found out about the same exception in the parent holds for it in the worker too."""
    if here is None or here.type != remote.type:
        return remote
    return msgspec.structs.replace(
        remote,
        message=here.message,
        module=here.module,
        errno=here.errno,
        filename=here.filename,
        wanted=here.wanted,
        wanted_in=here.wanted_in,
        near=here.near,
        notes=here.notes,
    )
