"""Has the captured steps of a run run again, where that was not done, before its report is made. Runs in the parent.

Invariant: no more than `MOST_STEPS` are run again, those that matter most first; whatever comes of it, there is
a recording to make the report from.
"""

from __future__ import annotations

import sys

from whydied.diagnose.numerics.bad_steps import Step, steps_of
from whydied.read.recording import Recording, load
from whydied.run import replay_process as replays

MOST_STEPS = 3


def replayed(recording: Recording, *, quiet: bool = False) -> Recording:
    """The recording with the results of its replays. Stops at the first step that gave its bad values again."""
    waiting = replays.Waiting() if quiet else replays.on_terminal(sys.stderr)
    for step in steps_of(recording)[:MOST_STEPS]:
        again = step.taken.replay
        if again is None and step.taken.capture is not None:
            went_on = _replay(recording, step, waiting)
            recording = load(recording.directory, recording.aftermath)
            again = recording.taken[step.captured.directory].replay
            if not went_on:
                break
        if again is not None and again.status == "reproduced":
            break
    return recording


def _replay(recording: Recording, step: Step, waiting: replays.Waiting) -> bool:
    python = replays.interpreter(step.process.began.executable if step.process.began else "")
    return python is None or replays.replay(recording.directory.path / step.captured.directory, python, waiting=waiting)
