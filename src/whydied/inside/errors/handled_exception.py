"""The exception that a program handles while it ends itself, as links of a chain; runs in the user's process.

Invariant: no code of the user's runs, a `__str__` of the user's included, and no variables are read, because
the frames that the exception went through may still be running.
"""

from __future__ import annotations

import sys
from types import TracebackType, WrapperDescriptorType
from typing import TYPE_CHECKING

import msgspec

from whydied import redact
from whydied.inside.errors import exception_chain
from whydied.inside.errors.stack_steps import frame_of
from whydied.inside.guest.ownership import Ownership
from whydied.inside.guest.value_facts import type_name
from whydied.records import ErrorFacts, Frame, RaisedException

if TYPE_CHECKING:
    from whydied.inside.errors.framework.error_facts import Gathered

LARGEST_LINKS = 4
LARGEST_FRAMES = 12
LARGEST_MESSAGE = 1000
_PLAIN = (str, int, float, bool, bytes, type(None))


def handled(ownership: Ownership) -> list[RaisedException]:
    """The exception whose handler is running in this thread, with its causes; none where it is itself an exit."""
    error = sys.exc_info()[1]
    if error is None or isinstance(error, (SystemExit, GeneratorExit)):
        return []
    links = exception_chain.links_of(error, error.__traceback__)[:LARGEST_LINKS]
    return [_link(one, trace, link, ownership) for one, trace, link in links]


def facts() -> list[ErrorFacts]:
    """What was kept about these exceptions when TensorFlow or Keras raised them."""
    gathering = sys.modules.get("whydied.inside.errors.framework.error_facts")
    error = sys.exc_info()[1]
    if gathering is None or error is None:
        return []
    links = exception_chain.links_of(error, error.__traceback__)[:LARGEST_LINKS]
    # Those are looked up by their text.
    spoken = [(number, link) for number, (link, _, _) in enumerate(links) if _is_safe_to_read(link)]
    known: list[tuple[int, Gathered | None]] = [(number, gathering.found(link)) for number, link in spoken]
    return [msgspec.structs.replace(one.facts, link=number) for number, one in known if one is not None]


def _is_safe_to_read(error: BaseException) -> bool:
    """Whether the text of an exception can be had without code of the user's."""
    module = type.__getattribute__(type(error), "__module__")
    library = module.partition(".")[0] if isinstance(module, str) else ""
    return library in ("tensorflow", "keras", "tf_keras") or (library == "builtins" and _is_plain(error))


def _is_plain(error: BaseException) -> bool:
    return all(type(part) in _PLAIN for part in _given(error))


def _given(error: BaseException) -> tuple[object, ...]:
    given: tuple[object, ...] = BaseException.__dict__["args"].__get__(error)
    return given


def _link(error: BaseException, trace: TracebackType | None, link: str, ownership: Ownership) -> RaisedException:
    return RaisedException(
        type=type_name(type(error)).rpartition(".")[2],
        module=type(error).__module__,
        message=redact.text(_words(error)[:LARGEST_MESSAGE]),
        frames=_frames(trace, ownership),
        link=link,
    )


def _words(error: BaseException) -> str:
    """What an exception says: by its own class where that is Python's, else the texts that it was made with."""
    if _is_plain(error) and type(type(error).__str__) is WrapperDescriptorType:
        return str(error)
    return " ".join(part for part in _given(error) if type(part) is str)


def _frames(trace: TracebackType | None, ownership: Ownership) -> list[Frame]:
    frames: list[Frame] = []
    while trace is not None:
        code = trace.tb_frame.f_code
        file = ownership.user_file(trace.tb_frame)
        line = trace.tb_lineno or code.co_firstlineno
        if file is not None:
            frames.append(frame_of(file, line, code.co_name))
        else:
            frames.append(Frame(file=ownership.resolve(code.co_filename), line=line, function=code.co_name))
        trace = trace.tb_next
    return frames[-LARGEST_FRAMES:]
