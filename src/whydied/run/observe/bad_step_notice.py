"""Says once, while the program runs, that a step of its training is not finite; runs in the parent.

Invariant: a run without such a step costs one look for a directory per sample, and its streams are never read.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable

from whydied import wire
from whydied.places import RunDirectory
from whydied.records import StepCaptured
from whydied.words import bad_step_note

_TRIES = 50
"""A capture that is not told of by then has failed."""


class BadStepNotice:
    def __init__(self, directory: RunDirectory, say: Callable[[str], None] | None) -> None:
        self._directory = directory
        self._say = say
        self._seen = 0
        self._tries = _TRIES

    def look(self) -> None:
        """Called after each sample."""
        if self._say is None or not self._tries:
            return
        try:
            captures = len(os.listdir(self._directory.path / "numerics"))
        except OSError:
            return
        if captures == self._seen:
            return
        found = self._captured()
        notes = [note for captured in found if (note := bad_step_note.note(captured))]
        if notes:
            self._say(
                f"{notes[0]} The program goes on; the report will say what made it so, also if you stop it now.\n"
            )
            self._say = None
        self._seen = min(len(found), captures)
        self._tries -= 1

    def _captured(self) -> list[StepCaptured]:
        """What the recorders have told of steps; the directory of one is there before its record is."""
        found: list[StepCaptured] = []
        for path in sorted(self._directory.streams.glob("process-*.key.*.rec")):
            with contextlib.suppress(OSError):
                entries = wire.read_segment(path.read_bytes()).entries
                found += [entry.record for entry in entries if isinstance(entry.record, StepCaptured)]
        return found
