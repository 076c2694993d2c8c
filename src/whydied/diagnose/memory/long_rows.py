"""Steps of which not even one row fits, because a length stands in their tensors more than once: attention over a text,
the sides of a picture or a volume. Which length would fit, and the line that says it. Pure.

Invariant: the bytes at the peak are those of the recorded graph; a tensor shrinks with each extent that is the length.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.memory.step_need import MARGIN, Need, first_bytes
from whydied.graph.step_memory import LiveTensor, StepMemory
from whydied.source.edits.edit import Edit, over
from whydied.source.statements import assigned_name
from whydied.source.trees import across, located, walk

LONG = 64
"""Extents below this are seldom a length that one can choose."""
POWERS = {2: "square", 3: "cube"}
_FEWEST = 8
"""A shorter length than this would not be the same program."""


class LongRow(NamedTuple):
    """`one_row_bytes` is what a step of one row needs; `fits` the length with which the step as it was stays within the
    room there was, None where none does."""

    tensor: LiveTensor
    length: int
    times: int
    one_row_bytes: int
    fits: int | None

    @property
    def power(self) -> str:
        return POWERS[self.times]


def repeated_length(need: Need | None) -> tuple[LiveTensor, int, int] | None:
    """The largest tensor at the peak, the length that it has more than once behind its batch axis, and how often."""
    largest = need.largest[0] if need is not None and need.largest else None
    lengths = largest.shape[1:] if largest is not None else ()
    long = max((extent for extent in lengths if lengths.count(extent) in POWERS), default=0)
    return (largest, long, lengths.count(long)) if largest is not None and long >= LONG else None


def long_row(need: Need | None, room_bytes: int) -> LongRow | None:
    """Where even a batch of one row is more than the room."""
    found = repeated_length(need)
    if need is None or found is None:
        return None
    memory = need.memory
    one_row = _with(memory, 1, 1.0)
    if one_row <= room_bytes:
        return None
    tensor, length, times = found
    fitting = [one for one in _lengths(length) if _shorter(memory, length, one) <= MARGIN * room_bytes]
    return LongRow(tensor, length, times, one_row, max(fitting, default=None))


def _with(memory: StepMemory, rows: int, part: float) -> int:
    """What a step of so many rows needs, where that part of what grows with the rows is left."""
    fixed = memory.slots_bytes + memory.peak_bytes * memory.constant_bytes / max(1, memory.tensor_bytes)
    scaled = first_bytes(memory) - fixed
    return round(fixed + scaled * part * rows / max(1, memory.batch))


def _shorter(memory: StepMemory, length: int, wanted: int) -> int:
    """What the step needs with another length in the place of the old."""
    alive = memory.alive
    before = max(1, sum(tensor.size_bytes for tensor in alive))
    after = sum(tensor.size_bytes * (wanted / length) ** tensor.shape.count(length) for tensor in alive)
    return round(first_bytes(memory) * after / before)


def _lengths(length: int) -> list[int]:
    """Lengths that people choose, below one."""
    powers = [1 << n for n in range(3, 24)]
    return [one for one in sorted({*powers, *(3 * one // 2 for one in powers)}) if _FEWEST <= one < length]


class WrittenLength(NamedTuple):
    """The only line of the program that says a length, what it is called there, and the numbers that say it."""

    place: Location
    name: str
    numbers: list[ast.Constant]

    def changed(self, case: Case, wanted: int) -> list[Edit]:
        source = case.project.get(self.place.file)
        if source is None:
            return []
        return [over(source, self.place.file, one, str(wanted)) for one in self.numbers]


def written_length(case: Case, length: int) -> WrittenLength | None:
    found = [
        (file, node)
        for file, node in across(case.project, ast.Constant)
        if isinstance(node.value, int) and not isinstance(node.value, bool) and node.value == length
    ]
    places = {
        (place.file, place.line): place for file, node in found for place in [located(case.project, file, node.lineno)]
    }
    if len(places) != 1:
        return None
    place = next(iter(places.values()))
    name = _key(case, place.file, found[0][1]) or assigned_name(place) or str(length)
    return WrittenLength(place, name, [node for _, node in found])


def _key(case: Case, file: str, number: ast.Constant) -> str | None:
    """The key of a dictionary that is written out, where the number stands below it: `CONFIG['size']`."""
    for node in walk(case.project[file].tree, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and number in walk(value, ast.Constant):
                place = located(case.project, file, node.lineno)
                return f"{assigned_name(place) or ''}[{key.value!r}]"
    return None
