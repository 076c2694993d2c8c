"""What makes a single input fit that is far longer than the others: all inputs cut at a length that fits. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from whydied.diagnose.case import Case
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.call_at_death import KERAS, RunningCall
from whydied.diagnose.memory.step_need import MARGIN, need_for
from whydied.source.edits.edit import Change, Edit
from whydied.source.edits.memory.cut_inputs import (
    cut_in_call,
    cut_in_generator,
    cut_in_pipeline,
    generators_named,
    index_of,
)

LONGER = 1.5
EXPLAINS = 0.6
"""A prediction below this part of what was taken says nothing of a shorter input."""
MOST_TRIES = 6


def cutting_changes(
    case: Case, running: RunningCall, shape: list[int], largest: Sequence[int], name: str, rows: int | None
) -> list[Change]:
    """At the largest length that is predicted to fit, then at one that was seen to. `shape` is that of the input,
    `largest` of the largest before it; `rows` as in a batch that a pipeline makes of such elements."""
    if len(shape) != len(largest):
        return []
    first = 0 if rows else 1
    axes = [at for at in range(first, len(shape)) if shape[at] > LONGER * largest[at]]
    if not axes:
        return []
    safe = 1 << max(largest[at] for at in axes).bit_length()
    lengths = [length for length in (_predicted(case, running, shape, axes, rows, safe), safe) if length is not None]
    found: list[Change] = []
    for length in lengths:
        edits = _edits(case, running, axes, length, name)
        found += change_of(f"Cut inputs that are longer than {length:,}", "cut", edits, value=length)
    return found


def _predicted(
    case: Case, running: RunningCall, shape: list[int], axes: list[int], rows: int | None, safe: int
) -> int | None:
    """The largest power of two above the safe one whose step is predicted to fit."""
    if running.kind == "call":
        return None
    room = running.grown_bytes
    whole = need_for(case, [rows, *shape] if rows else shape)
    if whole is None or whole.peak_bytes < EXPLAINS * room:
        return None
    length = 1 << (max(shape[at] for at in axes).bit_length() - 1)
    for _ in range(MOST_TRIES):
        if length <= safe:
            return None
        cut = [min(extent, length) if at in axes else extent for at, extent in enumerate(shape)]
        need = need_for(case, [rows, *cut] if rows else cut)
        if need is not None and need.peak_bytes <= MARGIN * room:
            return length
        length //= 2
    return None


def _edits(case: Case, running: RunningCall, axes: list[int], length: int, name: str) -> list[Edit]:
    index = index_of(axes, length)
    place = running.place
    source = case.sources.get(place.file)
    if source is None:
        return []
    if running.kind not in KERAS:
        words = [
            word
            for word, shape in zip(running.arguments, running.shapes, strict=False)
            if len(shape) > max(axes) and all(shape[at] == running.shapes[0][at] for at in axes)
        ]
        return cut_in_call(source, place.file, place.line, words or ["0"], name, index)
    return cut_in_generator(case.project, [0], index, generators_named(case.project)) or cut_in_pipeline(
        source, place.file, place.line, running.kind, index
    )
