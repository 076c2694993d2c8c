"""Whether a program expects the NaN that it reads: it tests for it, or computes around it. Pure.

Such a program is healthy. What tells is the code that was running when the value was read: the functions on its stack
name `isnan`, `nan_to_num`, `nanmean`. So is one that only looks at an element of its own data. Steps that change
variables are never expected to be NaN.
"""

from __future__ import annotations

from collections.abc import Mapping

from whydied.records import Replay, StepCaptured
from whydied.source.nan_tests import ends_on_nan, tests_for_nan
from whydied.source.text import Source

_MOVES = frozenset(
    {"StridedSlice", "Slice", "GatherV2", "Reshape", "Identity", "Cast", "ExpandDims", "Squeeze", "Unpack", "Split"}
)
"""Ops that hand on elements of what they are given."""


def is_expected(
    sources: Mapping[str, Source], captured: StepCaptured, replay: Replay | None, *, failed: bool = False
) -> bool:
    if not captured.suspects or any(one.role != "result" for one in captured.suspects):
        return False
    return _is_own_element(captured, replay) or any(
        tests_for_nan(source.tree, frame.line) or (not failed and ends_on_nan(source.tree, frame.line))
        for frame in captured.frames
        if frame.user and (source := sources.get(frame.file)) is not None
    )


def _is_own_element(captured: StepCaptured, replay: Replay | None) -> bool:
    """Whether the value was there before any op computed with it."""
    if replay is None or replay.blame is None or replay.blame.kind != "data" or captured.kind != "eager":
        return False
    return replay.first is None or replay.first.op in _MOVES
