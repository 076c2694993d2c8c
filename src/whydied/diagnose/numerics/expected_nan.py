"""Whether a program expects the NaN that it reads: it tests for it, or computes around it. Pure.

Such a program is healthy. What tells is the code that was running when the value was read: the functions on its stack
name `isnan`, `nan_to_num`, `nanmean`. So is one that only looks at an element of its own data. Steps that change
variables are expected to be NaN only by a program that acts on what its training gives, and that finished, or that
somebody stopped in a later training.
"""

from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.read.recording import Recording
from whydied.records import MOST_CAPTURES, CallBegan, CallEnded, Replay, StepCaptured
from whydied.source.divergence_tests import acts_on_divergence
from whydied.source.nan_tests import ends_on_nan, tests_for_nan

_MOVES = frozenset(
    {"StridedSlice", "Slice", "GatherV2", "Reshape", "Identity", "Cast", "ExpandDims", "Squeeze", "Unpack", "Split"}
)
"""Ops that hand on elements of what they are given."""


def is_expected(recording: Recording, captured: StepCaptured, replay: Replay | None, *, failed: bool = False) -> bool:
    sources = recording.sources
    if not captured.suspects or any(one.role != "result" for one in captured.suspects):
        return handles_divergence(recording) or _was_left_behind(recording, captured)
    return _is_own_element(captured, replay) or any(
        tests_for_nan(source.tree, frame.line) or (not failed and ends_on_nan(source.tree, frame.line))
        for frame in captured.frames
        if frame.user and (source := sources.get(frame.file)) is not None
    )


def handles_divergence(recording: Recording) -> bool:
    """Whether the program finished, and acts on losses that are not finite."""
    finished = recording.ended is not None and recording.ended.exit_code == 0
    return finished and _acts(recording)


def _acts(recording: Recording) -> bool:
    return acts_on_divergence({**recording.project, **recording.sources})


def _was_left_behind(recording: Recording, captured: StepCaptured) -> bool:
    """Whether the `fit` of the step had ended and another one was at work, without such a step, when somebody stopped
    a program that acts on divergence: a trial of a search."""
    call = captured.call
    process = next((one for one in recording.processes if captured in one.all(StepCaptured)), None)
    if call is None or process is None or not any(one.call == call for one in process.all(CallEnded)):
        return False
    later = {one.call for one in process.all(CallBegan) if one.kind == "fit" and one.call > call}
    bad = [one.call for one in process.all(StepCaptured)]
    fine = bool(later) and max(later) not in bad and len(bad) < MOST_CAPTURES
    return fine and Case(recording).was_stopped and _acts(recording)


def _is_own_element(captured: StepCaptured, replay: Replay | None) -> bool:
    """Whether the value was there before any op computed with it."""
    if replay is None or replay.blame is None or replay.blame.kind != "data" or captured.kind != "eager":
        return False
    return replay.first is None or replay.first.op in _MOVES
