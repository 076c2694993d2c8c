"""Errors in functions that AutoGraph converted: it runs a generated copy of the user's function, and raises the error
anew with a text that says for which lines the copy stands; runs in the user's process, after an exception.

Invariant: nothing is called; the error that the copy raised, with its frames, is what the new one was raised
in the handling of.
"""

from __future__ import annotations

from types import TracebackType

from whydied import redact
from whydied.inside.errors.operands import Failure
from whydied.inside.guest import live_source
from whydied.inside.guest.ownership import Ownership
from whydied.records import Frame
from whydied.source.statements import statement_at
from whydied.texts import graph_messages

_BEGINNING = graph_messages.IN_USER_CODE.pattern
_LINE = graph_messages.CONVERTED_LINE.pattern
_GENERATED = "__autograph_generated_file"


def frames_of(message: str, ownership: Ownership) -> list[Frame]:
    """The user's lines that a message names, outermost first."""
    if not _BEGINNING.search(message):
        return []
    frames = []
    for file, line, function in _LINE.findall(message):
        if ownership.is_user_path(file):
            path = ownership.resolve(file)
            first, last = live_source.span(path, int(line))
            parsed = live_source.source(path)
            text = redact.text(parsed.text(first, last)[:500]) if parsed is not None else ""
            # AutoGraph has no name for a function without one.
            name = "<lambda>" if function == "None" else function
            frames.append(Frame(file=path, line=first, function=name, user=True, source=text, end_line=last))
    return frames


def original(error: BaseException) -> BaseException:
    """The error that the copy raised, else the error itself. AutoGraph marks the first one, and raises a new one while
    it handles that; what the first one was raised in the handling of is another error."""
    before = error.__context__
    if type(error).__module__.startswith("tensorflow.python.autograph"):
        return before if before is not None else error
    marked = hasattr(error, "ag_error_metadata") and hasattr(before, "ag_error_metadata")
    return before if marked and before is not None else error


def failure_in(error: BaseException, frames: list[Frame]) -> Failure | None:
    """The user's statement, with the frame of the copy: its variables have the user's names."""
    step: TracebackType | None = original(error).__traceback__
    running = None
    while step is not None:
        if _GENERATED in step.tb_frame.f_code.co_filename:
            running = step.tb_frame
        step = step.tb_next
    parsed = live_source.source(frames[-1].file) if frames else None
    if running is None or parsed is None:
        return None
    node = statement_at(parsed.tree, frames[-1].line)
    return Failure(node, running, parsed) if node is not None else None
