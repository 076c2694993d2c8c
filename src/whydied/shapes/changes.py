"""Changes of one value's shape, each as it would be written, from the smallest on. Pure.

A change is a candidate: whoever offers it has tried that the program's ops and layers then accept the shape.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from whydied.shapes.shape import Shape, conforms, count

LARGEST_RANK = 5


class Change(NamedTuple):
    """`code` has `{x}` where the value's expression goes. `cost` is how much it changes: 1 a new axis of size 1, 2 one
    that goes or axes in another order, 3 values laid out anew. `meaning` says when it is right."""

    kind: str
    code: str
    shape: Shape
    cost: int
    meaning: str = ""


def changes(shape: Shape, wanted: Shape | None = None) -> Iterator[Change]:
    """What can be done with a value of a shape; `wanted` is the shape that it should have, where one is known."""
    yield from _expanded(shape)
    yield from _squeezed(shape)
    yield from _transposed(shape)
    yield from _flattened(shape)
    if wanted is not None:
        yield from _laid_out(shape, wanted)


def _expanded(shape: Shape) -> Iterator[Change]:
    for axis in range(len(shape), -1, -1):
        at = -1 if axis == len(shape) else axis
        made: Shape = [*shape[:axis], 1, *shape[axis:]]
        meaning = "a column" if len(shape) == 1 and at == -1 else "a row" if len(shape) == 1 else ""
        yield Change("expand", f"tf.expand_dims({{x}}, {at})", made, 1, meaning)


def _squeezed(shape: Shape) -> Iterator[Change]:
    told: list[Shape] = []
    for axis, size in enumerate(shape):
        made = [*shape[:axis], *shape[axis + 1 :]]
        if size == 1 and made not in told:
            told.append(made)
            at = -1 if axis == len(shape) - 1 else axis
            yield Change("squeeze", f"tf.squeeze({{x}}, {at})", made, 2)


def _transposed(shape: Shape) -> Iterator[Change]:
    if len(shape) == 2 and shape[0] != shape[1]:
        yield Change("transpose", "tf.transpose({x})", shape[::-1], 2)
    if not 3 <= len(shape) <= LARGEST_RANK:
        return
    told: list[Shape] = [shape]
    for order in sorted(itertools.permutations(range(len(shape))), key=_disorder):
        made = [shape[axis] for axis in order]
        if made not in told:
            told.append(made)
            yield Change("transpose", f"tf.transpose({{x}}, {list(order)})", made, 2)


def _flattened(shape: Shape) -> Iterator[Change]:
    """Each sample as one row: what a product with a matrix takes."""
    each = count(shape[1:]) if len(shape) > 2 else None
    if each is not None:
        made: Shape = [shape[0], each]
        yield Change("flatten", f"tf.reshape({{x}}, [-1, {each}])", made, 2, "each sample as one row")


def _disorder(order: tuple[int, ...]) -> int:
    """How many pairs of axes change places: an axis that moves to the end keeps the others in their order."""
    return sum(one > other for at, one in enumerate(order) for other in order[at + 1 :])


def _laid_out(shape: Shape, wanted: Shape) -> Iterator[Change]:
    if count(shape) is not None and count(shape) == count(wanted) and not conforms(shape, wanted):
        yield Change("reshape", f"tf.reshape({{x}}, {wanted})", wanted, 3, "if the order of the values is the same")
    elif len(shape) > 1 and len(wanted) > 1 and shape[0] is None is wanted[0]:
        # The rows are as many as they were.
        each = count(shape[1:])
        if each is not None and each == count(wanted[1:]) and shape[1:] != wanted[1:]:
            yield Change("reshape", f"tf.reshape({{x}}, {wanted})", wanted, 3)
