"""Notes in the cell that runs: a training step that is not finite is told when it happens, once a kernel. Runs in the
user's process.
"""

from __future__ import annotations

import sys
from typing import Any

import msgspec

from whydied.inside import journal
from whydied.inside.guest.guard import guarded
from whydied.inside.notebook import notebook_state
from whydied.records import StepCaptured
from whydied.words import bad_step_note


def begin() -> None:
    journal.listeners[StepCaptured] = _noticed


@guarded("cell_notes.noticed")
def _noticed(captured: Any) -> None:
    if notebook_state.running() is None:
        return
    # The cell itself is the place.
    text = bad_step_note.note(msgspec.structs.replace(captured, frames=[]))
    if text:
        journal.listeners.pop(StepCaptured, None)
        say(f"{text} Once the cell has ended, %whydied why tells what made it so.\n")


def say(text: str) -> None:
    """In a thread that Python's `threading` knows: the stream of a kernel asks for its name, and would make up one that
    stays."""
    import threading

    threading.Thread(target=_write, args=(text,), name="whydied warning", daemon=True).start()


@guarded("cell_notes.write")
def _write(text: str) -> None:
    stream = sys.stderr
    if stream is not None:
        stream.write(text)
        stream.flush()
