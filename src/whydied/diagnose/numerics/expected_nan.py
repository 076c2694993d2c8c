"""Whether a program expects the NaN that it reads: it tests for it, or computes around it. Pure.

Such a program is healthy. What tells is the code that was running when the value was read: the functions on its stack
name `isnan`, `nan_to_num`, `nanmean`. So is one that only looks at an element of its own data. Steps that change
variables are expected to be NaN only by a program that acts on what its training gives, and that finished, or that
somebody stopped while it trained well again.
"""

from __future__ import annotations

import math

from whydied.diagnose.case import Case
from whydied.read.recording import Recording
from whydied.records import NormsSeen, Replay, StepCaptured
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
    """Whether somebody stopped a program that acts on divergence while it trained well again: a search that dropped a
    trial, a training that went back. The norms at its end tell, those of the same function and those of the last."""
    process = next((one for one in recording.processes if captured in one.all(StepCaptured)), None)
    at_end = [one for one in process.all(NormsSeen) if one.moment == "end"] if process is not None else []
    same = [one for one in at_end if one.function == captured.function]
    fine = bool(at_end) and all(map(_is_finite, [*same[-1:], at_end[-1]]))
    return fine and Case(recording).was_stopped and _acts(recording)


def _is_finite(norms: NormsSeen) -> bool:
    values = [*(value for row in norms.norms for value in row), *norms.losses, *norms.weights]
    return bool(values) and all(value is None or math.isfinite(value) for value in values)


def _is_own_element(captured: StepCaptured, replay: Replay | None) -> bool:
    """Whether the value was there before any op computed with it."""
    if replay is None or replay.blame is None or replay.blame.kind != "data" or captured.kind != "eager":
        return False
    return replay.first is None or replay.first.op in _MOVES
