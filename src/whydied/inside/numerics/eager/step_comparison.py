"""What is the same in each step of a loop, and what is not: small values of two listed steps, compared; runs in the
user's process, in listed steps.

Invariant: only steps with the same ops in the same order, each given the same, are compared. A value that was
seen to differ between two steps of the same shapes is never taken for a constant again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whydied.inside.numerics.eager.needed_ops import Window
from whydied.inside.numerics.eager.op_log import OpLog, size_of

CONSTANT_BYTES = 1024
LARGEST_SORTS = 8


class Sketch(NamedTuple):
    """A step: `ops` and `shapes` by their hashes, the tensors from outside by number, in the order of their use, and
    the bytes of the small ones among them."""

    ops: int
    shapes: int
    numbers: tuple[int, ...]
    small: dict[int, bytes]


def sketch(window: Window, log: OpLog) -> Sketch:
    order: dict[int, int] = {}
    given = frozenset(window.given)
    made: dict[int, tuple[int, int]] = {}
    ops = []
    for at, entry in enumerate(window.entries):
        inputs = []
        for number in entry.inputs:
            inputs.append(made[number] if number in made else (-1, order.setdefault(number, len(order))))
        ops.append((entry.kind, tuple(inputs)))
        for slot, number in enumerate(entry.outputs):
            if number not in given:
                made[number] = (at, slot)
    leaves = {number: log.leaves[number] for number in order if number in log.leaves and number not in log.handles}
    shapes = tuple(leaves.values())
    tensors = {number: tensor for number in leaves if (tensor := log.tensor(number)) is not None}
    small = {number: _bytes(tensor) for number, tensor in tensors.items() if size_of(tensor) <= CONSTANT_BYTES}
    return Sketch(hash(tuple(ops)), hash(shapes), tuple(order), small)


class Sketches:
    """Of one loop."""

    def __init__(self) -> None:
        self._values: dict[tuple[int, int], dict[int, bytes]] = {}
        self._texts: dict[int, dict[int, frozenset[str]]] = {}
        self._varying: dict[int, set[int]] = {}
        self.compared = False
        """Whether two steps were alike, and so could be compared."""

    def varying(self, seen: Sketch) -> frozenset[int]:
        """The numbers of the small values of a step that differ from step to step; the step is remembered."""
        known = self._values.get((seen.ops, seen.shapes))
        now = {at: seen.small[number] for at, number in enumerate(seen.numbers) if number in seen.small}
        varying = self._varying.setdefault(seen.ops, set())
        if known is not None:
            self.compared = True
            varying |= {at for at, value in now.items() if known.get(at) != value}
        if len(self._values) >= LARGEST_SORTS:
            self._values.clear()
        self._values[(seen.ops, seen.shapes)] = now
        return frozenset(seen.numbers[at] for at in varying if at < len(seen.numbers))

    def agreed(self, seen: Sketch, number: int, texts: list[str]) -> frozenset[str]:
        """Of the expressions that a value is worth in this step, those that it was worth in all."""
        at = seen.numbers.index(number)
        known = self._texts.setdefault(seen.ops, {})
        known[at] = known[at] & frozenset(texts) if at in known else frozenset(texts)
        return known[at]


def _bytes(tensor: Any) -> bytes:
    array = tensor._numpy()
    return bytes(array.tobytes()) + str(array.shape).encode()
