"""What the stages of a `tf.data` pipeline can hold, from how they were made. Pure.

Invariant: a buffer is bounded. That it fills is no leak, however long that takes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.memo import once
from whydied.records import DatasetMade

TAKES = 1.7
"""TensorFlow's CPU allocator takes up to this many times what a tensor needs."""


class Buffer(NamedTuple):
    """A stage with the most elements that it can hold at a time, and the bytes of those of all its copies."""

    stage: DatasetMade
    elements: int
    size_bytes: int


@once
def buffers(case: Case) -> list[Buffer]:
    """Those whose size is known, the largest first."""
    found = [buffer for stage in case.records.all(DatasetMade) if (buffer := _buffer(stage)) is not None]
    return sorted(found, key=lambda buffer: -buffer.size_bytes)


def _buffer(stage: DatasetMade) -> Buffer | None:
    counts = [number for number in (stage.buffer_size, stage.elements) if number is not None]
    if stage.kind == "cache":
        counts = [stage.elements] if stage.elements is not None else []
    elif stage.kind == "map" and stage.buffer_size is None:
        # How many calls run at a time is not known, and it is not as many as there are elements.
        counts = []
    if not counts or stage.element_bytes is None:
        return None
    return Buffer(stage, min(counts), min(counts) * stage.element_bytes * stage.copies)


@once
def filling_bytes(case: Case) -> float:
    """What memory may grow by while the stages fill, each place of the source counted once: a data set that is made
    anew for each epoch takes the place of the last. Without end where a cache has no known size."""
    by_place: dict[tuple[str, int], int] = {}
    for stage in case.records.all(DatasetMade):
        if stage.kind == "cache" and (stage.elements is None or stage.element_bytes is None):
            return math.inf
    for buffer in buffers(case):
        frame = buffer.stage.frames[-1]
        place = (f"{buffer.stage.kind} {frame.file}", frame.line)
        by_place.setdefault(place, buffer.size_bytes)
    return TAKES * sum(by_place.values())
