"""The Python error that TensorFlow tells again in words: one that rose in a function which it called itself (a
generator, `py_function`, `numpy_function`); runs in the user's process, after an exception.

Invariant: the text is only read. TensorFlow writes the error, then the traceback with a blank line between its
frames, then the node; the objects are gone by then.
"""

from __future__ import annotations

import re

import msgspec

from whydied import redact
from whydied.inside.errors.stack_steps import frame_of
from whydied.inside.guest.ownership import Ownership
from whydied.records import Frame, RaisedException
from whydied.texts import graph_messages, python_output

HEAD = python_output.TRACEBACK_HEAD.words
LARGEST_LINKS = 4
LARGEST_FRAMES = 40
_ERROR = python_output.ERROR_AT_THE_END.pattern
_FRAME = python_output.QUOTED_FRAME.pattern
_CAUSE = python_output.CAUSED.words
_CONTEXT = python_output.DURING_ANOTHER.words
_NODE = graph_messages.NODE_OR_OP.pattern
LARGEST_REMEMBERED = 4
_SAID = 200


class _Remembered(msgspec.Struct, frozen=True):
    type: str
    said: str
    links: list[RaisedException]


_remembered: list[_Remembered] = []


def is_quoting(message: str) -> bool:
    return HEAD in message and _FRAME.search(message, message.index(HEAD)) is not None


def remember(kind: str, said: str, links: list[RaisedException]) -> None:
    """An error that was looked at while its frames were alive: it says more than what will be quoted of it."""
    _remembered.append(_Remembered(kind, said[:_SAID].strip(), links))
    del _remembered[:-LARGEST_REMEMBERED]


def quoted(message: str, ownership: Ownership) -> list[RaisedException]:
    """The error and its causes, the one that surfaced first."""
    for known in reversed(_remembered):
        if f"{known.type}: {known.said}".rstrip(": ") in message:
            return known.links
    if not is_quoting(message):
        return []
    body = _NODE.split(message[message.index(HEAD) :], maxsplit=1)[0]
    blocks = [block for block in re.split(f"({re.escape(_CAUSE)}|{re.escape(_CONTEXT)})", body) if block.strip()]
    links: list[RaisedException] = []
    tie = ""
    for block in reversed(blocks):
        if block in (_CAUSE, _CONTEXT):
            tie = "cause" if block == _CAUSE else "context"
        elif len(links) < LARGEST_LINKS and (link := _link(block, ownership)) is not None:
            links[-1:] = [*(msgspec.structs.replace(above, link=tie) for above in links[-1:]), link]
    return links


def frames_in(text: str, ownership: Ownership) -> list[Frame]:
    """The frames that a text names, outermost first."""
    return [_frame(match, ownership) for match in _FRAME.finditer(text)][-LARGEST_FRAMES:]


def _link(block: str, ownership: Ownership) -> RaisedException | None:
    """One traceback, with the error behind its last frame."""
    found = list(_FRAME.finditer(block))
    said = _ERROR.search(block, found[-1].end()) if found else None
    if said is None:
        return None
    return RaisedException(
        type=said["type"].rpartition(".")[2],
        module="",
        message=redact.text((said["message"] or "").strip()[:4000]),
        frames=[_frame(match, ownership) for match in found][-LARGEST_FRAMES:],
    )


def _frame(found: re.Match[str], ownership: Ownership) -> Frame:
    file, line, function = found["file"], int(found["line"]), found["function"].strip()
    if ownership.is_user_path(file):
        return frame_of(ownership.resolve(file), line, function)
    return Frame(file=ownership.resolve(file), line=line, function=function)
