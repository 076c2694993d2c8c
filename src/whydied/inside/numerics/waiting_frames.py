"""The stack of the thread that waits for a step, seen from the thread that runs it; runs in the user's process.

Invariant: no frame is kept, and no snapshot of its variables is left in it.
"""

from __future__ import annotations

import sys
from types import FrameType

from whydied.inside import journal
from whydied.inside.guest.standstill import main_thread
from whydied.inside.guest.user_frames import stack_of
from whydied.records import Frame

_EXECUTES = ("execute.py", "atomic_function.py", "context.py", "session.py")


def waiting() -> FrameType | None:
    """The innermost frame of the thread that called TensorFlow; of several, the main thread's."""
    main = main_thread()
    current = sys._current_frames()
    found = [
        (ident != main, frame)
        for ident, frame in current.items()
        if "tensorflow" in frame.f_code.co_filename and frame.f_code.co_filename.endswith(_EXECUTES)
    ]
    if found:
        return min(found, key=lambda pair: pair[0])[1]
    return current.get(main)


def stack() -> list[FrameType]:
    """The frames of that thread, innermost first."""
    return stack_of(waiting())


def user_frames(innermost: FrameType | None = None) -> list[FrameType]:
    """Those of the user's own code, innermost first; with a frame, of its stack."""
    owner = journal.current()
    if owner is None:
        return []
    found = stack() if innermost is None else stack_of(innermost)
    return [frame for frame in found if owner.ownership.user_file(frame) is not None]


def recorded() -> list[Frame]:
    return journal.frames(waiting())
