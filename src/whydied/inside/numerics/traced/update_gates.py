"""Which updates wait for the check of their own gradient only, and not for that of all; runs in the user's process, at
the end of a trace.

What waits for the check of all gradients keeps every gradient alive until the last is there, where TensorFlow would
have applied and freed most of them. That is the exact way, and costs nothing where gradients are small. Of gradients
that are large together, all but the smallest get a gate: the update goes on as soon as its own gradient is known to be
finite, and waits for the dump where it is not. Backpropagation runs from the last layer to the first, so the weights
that a dump then finds updated are those behind the bad value, each by a finite gradient.

Invariant: the graph is only read.
"""

from __future__ import annotations

import math
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from whydied.inside.model import graph_ops
from whydied.inside.numerics.traced import watched_tensors
from whydied.inside.numerics.traced.variable_writes import Writer
from whydied.inside.numerics.traced.watched_tensors import Item

SMALLEST_BYTES = 1 << 16
LARGEST_HELD_BYTES = 4 << 20
"""Of gradients that could have a gate and have none: under a hundredth of what any process with TensorFlow takes."""
_UNKNOWN = 1024


class Gates(NamedTuple):
    """`large` has the numbers of the items that are passed on only where they are bad. `waiting` has the ops that wait
    for the gate of an item, by its number; under None those that wait for the check of all. `owners` has the number of
    the item whose gate lets a variable be written, by the id of its handle."""

    large: set[int]
    waiting: dict[int | None, list[Any]]
    owners: dict[int, int]


NONE = Gates(set(), {}, {})


def choose(graph: Any, items: list[Item], found: list[Writer], before: set[Any], exact: bool) -> Gates:
    """`before` are the ops that the check of all depends on, which cannot wait for it. `exact`: no update may happen
    before that check, whatever it costs."""
    large = _large({number: bytes_of(item.tensor, _UNKNOWN) for number, item in enumerate(items) if not item.direct})
    if exact or not large:
        return Gates(set(), {None: watched_tensors.held_back(graph, found, before)}, {})
    late = [writer for writer in found if writer.op not in before]
    owners = {handle: number for handle, number in _owners(graph, items, late).items() if number in large}
    own = {writer.op: owners[id(writer.handle)] for writer in late if id(writer.handle) in owners}
    # What all updates read, such as the learning rate, is not to wait for the check of all.
    shared = {
        op
        for op in graph_ops.ancestors(tensor.op for op in own for tensor in op.inputs)
        if op.type == "ReadVariableOp" and id(op.inputs[0]) not in owners
    }
    waiting: dict[int | None, list[Any]] = {}
    for op in dict.fromkeys([*watched_tensors.held_back(graph, found, before | shared), *own]):
        waiting.setdefault(own.get(op, owners.get(id(op.inputs[0]))), []).append(op)
    return Gates(large, waiting, owners)


def _large(sizes: dict[int, int]) -> set[int]:
    """The largest, without which the others have room."""
    room = LARGEST_HELD_BYTES
    found = set()
    for number in sorted(sizes, key=sizes.__getitem__):
        room -= sizes[number]
        if room < 0 and sizes[number] >= SMALLEST_BYTES:
            found.add(number)
    return found


def _owners(graph: Any, items: list[Item], found: list[Writer]) -> dict[int, int]:
    """The number of the one item that all which is written to a variable depends on, by the id of the variable's
    handle. A variable that depends on several, as with gradients that are clipped together, has none: there all of
    them live at once anyway."""
    behind: dict[Any, int] = {}
    known = {id(item.tensor): 1 << number for number, item in enumerate(items) if not item.direct}
    for op in graph.get_operations():
        given = [known.get(id(tensor), 0) | behind.get(tensor.op, 0) for tensor in op.inputs]
        if op.type == "IdentityN":
            # TensorFlow takes it apart.
            known.update((id(tensor), bits) for tensor, bits in zip(op.outputs, given, strict=True))
            continue
        given += [behind.get(source, 0) for source in op.control_inputs]
        behind[op] = reduce(or_, given, 0)
    written: dict[int, int] = {}
    for writer in found:
        written[id(writer.handle)] = written.get(id(writer.handle), 0) | behind[writer.op]
    return {handle: mask.bit_length() - 1 for handle, mask in written.items() if mask.bit_count() == 1}


def bytes_of(tensor: Any, unknown: int = 0) -> int:
    """`unknown` is taken for a length that is not known."""
    if tensor.shape.rank is None:
        return 0
    return math.prod(unknown if length is None else length for length in tensor.shape) * int(tensor.dtype.size)
