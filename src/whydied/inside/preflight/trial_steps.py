"""Real steps of a chosen batch, under a limit that may not let them end; runs in the user's process, which ends then.

What is written afterwards is the most memory that counted for the limit.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any

from whydied.errors import WhydiedError
from whydied.graph import traced_step
from whydied.graph.traced_step import TrialRun
from whydied.inside.preflight.step_files import write_file
from whydied.linux import proc

LEAST_STEPS = 4
MOST_STEPS = 12
LONGEST_S = 8.0
"""More steps than the least only while they are short: the highest of several is decided by chance."""
_CLEAR_PEAK = "5"
_NO_MEMORY = ("ResourceExhaustedError", "MemoryError")


class Counting:
    """Steps that somebody makes, from now on."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._steps = 0
        self._began = time.monotonic()
        self._watch = _Watch()

    def stepped(self) -> bool:
        """One more; whether there were enough. What they took is then written."""
        self._steps += 1
        self._watch.look()
        spent = time.monotonic() - self._began
        if self._steps < LEAST_STEPS or (self._steps < MOST_STEPS and spent < LONGEST_S):
            return False
        write(TrialRun(rows=self._rows, ran=True, peak_bytes=self._watch.most_bytes))
        return True

    def failed(self, error: BaseException) -> None:
        write(TrialRun(rows=self._rows, reason=reason_of(error)))


def reason_of(error: BaseException) -> str:
    """Why a trial says nothing; "" where memory ran out, which is an answer."""
    if type(error).__name__ in _NO_MEMORY:
        return ""
    if isinstance(error, WhydiedError):
        return f"the step could not be tried: {error}"
    return f"the step failed: {type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"


def run(call: Any, rows: int) -> None:
    """`call` makes a step of so many rows of zeros."""
    counting = Counting(rows)
    try:
        given = call(rows)
        while not counting.stepped():
            given = call(rows)
        del given
    except Exception as error:
        counting.failed(error)


def write(found: TrialRun) -> None:
    write_file(traced_step.TRIAL_FILE, traced_step.encode_trial(found))


class _Watch:
    """The most anonymous memory of the process: files are dropped before anything is killed.

    The kernel keeps the highest moment of all memory; less the most of files it is that. Nothing runs beside the steps:
    a thread that samples them changes how their own threads meet, and so their peak."""

    def __init__(self) -> None:
        self._most_anonymous = self._most_files = 0
        with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
            file.write(_CLEAR_PEAK)

    @property
    def most_bytes(self) -> int:
        highest = proc.field_bytes(proc.read("/proc/self/status"), b"VmHWM") or 0
        return max(self._most_anonymous, highest - self._most_files)

    def look(self) -> None:
        """Between steps."""
        status = proc.read("/proc/self/status")
        self._most_anonymous = max(self._most_anonymous, proc.field_bytes(status, b"RssAnon") or 0)
        self._most_files = max(self._most_files, proc.field_bytes(status, b"RssFile") or 0)
