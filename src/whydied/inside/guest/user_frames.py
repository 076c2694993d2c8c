"""The user's frames of a running stack, as values; runs in the user's process.

Invariant: no frame is kept here, because it would keep the user's variables alive.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType

from whydied.inside.guest.live_source import span
from whydied.inside.guest.ownership import Ownership
from whydied.records import Frame

LARGEST_USER_FRAMES = 8
LARGEST_WALK = 1500

Line = tuple[str, int, str]
"""File, line, function."""
Step = tuple[str, int, str, bool]
"""The same with the file as the code names it, and whether it is code of `__main__`."""


def line_of(frame: FrameType) -> int:
    """The line that a frame of another thread is at. The jump at the end of a loop may have none of its own, and is
    where a thread gives up the interpreter: it counts to the line before it."""
    line = frame.f_lineno
    if line is not None:
        return line
    code, found = frame.f_code, frame.f_code.co_firstlineno
    for start, _, line in code.co_lines():
        if start > frame.f_lasti:
            break
        found = line or found
    return found


def stack_of(frame: FrameType | None) -> list[FrameType]:
    """The frames of a stack, innermost first. Whoever asks for them lets go of them soon."""
    found: list[FrameType] = []
    while frame is not None and len(found) < LARGEST_WALK:
        found.append(frame)
        frame = frame.f_back
    return found


def user_lines(frame: FrameType | None, ownership: Ownership) -> tuple[Line, ...]:
    """The innermost lines of user code in this thread's own stack, innermost last."""
    found: list[Line] = []
    steps = 0
    while frame is not None and steps < LARGEST_WALK and len(found) < LARGEST_USER_FRAMES:
        file = ownership.user_file(frame)
        if file is not None:
            found.append((file, frame.f_lineno or 0, frame.f_code.co_name))
        frame = frame.f_back
        steps += 1
    found.reverse()
    return tuple(found)


def owned_lines(steps: Sequence[Step], ownership: Ownership) -> tuple[Line, ...]:
    """The same from a stack that was noted before, innermost first."""
    found: list[Line] = []
    for name, line, function, main in steps:
        file = ownership.owned(name, main)
        if file is not None:
            found.append((file, line, function))
            if len(found) == LARGEST_USER_FRAMES:
                break
    found.reverse()
    return tuple(found)


def user_frames(frame: FrameType | None, ownership: Ownership) -> list[Frame]:
    """The same as records."""
    return [statement_frame(*line) for line in user_lines(frame, ownership)]


def statement_frame(file: str, line: int, function: str) -> Frame:
    """A line of the user's as a record, at the first line of its statement."""
    first, last = span(file, line)
    return Frame(file=file, line=first, function=function, user=True, end_line=last)


def plain_frame(line: Line, user: bool) -> Frame:
    return Frame(file=line[0], line=line[1], function=line[2], user=user)
