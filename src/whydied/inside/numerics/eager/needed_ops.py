"""The part of a list of ops that a step's gradients or updates need, what a program is made of, and what of it is the
same in each step of a loop; runs in the user's process.

Invariant: the list is only read. An op that reads a variable comes after the ops of the step that wrote it
before, as it did when it ran. Ops that cannot be run again, and those behind a tensor that the program holds and that
cannot be had otherwise, are left out: their outputs are given instead. Only steps with the same ops in the same order,
each given the same, are compared, by their small values. A value that was seen to differ between two steps of the same
shapes is never taken for a constant again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from whydied.inside.numerics.eager.op_log import Entry, OpLog, size_of

_BRANCHES = ("If", "StatelessIf", "Case", "StatelessCase")
WRITERS = ("Assign", "ResourceApply", "ResourceScatter", "ResourceSparseApply", "ResourceStridedSliceAssign")
CONSTANT_BYTES = 1024
LARGEST_SORTS = 8


class Window:
    """The ops from `start` on that a list of tensors needs. `given` are the numbers of tensors that come from outside,
    `handles` those of variables, `controls` the entries that an entry must come after. `updates` are tensors that the
    program assigns at the end of the step: those assignments are not part of it."""

    def __init__(
        self, log: OpLog, start: int, wanted: list[int], updates: frozenset[int], cut: Callable[[int], bool]
    ) -> None:
        self._log = log
        self._start = start
        self._cut = cut
        self._updates = updates
        self._touching = self._touches()
        self.given: list[int] = []
        self.handles: list[int] = []
        self._needed: dict[int, Entry] = {}
        self._collect(wanted)
        self.entries = [self._needed[position] for position in sorted(self._needed)]
        self.controls = self._order()

    def maker(self, number: int) -> tuple[Entry, int] | None:
        """The op of the window that made a tensor, and the place among its outputs."""
        made = self._log.made.get(number)
        return made if made is not None and made[0].position in self._needed and number not in self.given else None

    def writers(self, handle: int) -> list[Entry]:
        """The ops since the start, needed or not, that changed a variable."""
        return [entry for entry in self._touching.get(handle, []) if self._writes(entry, handle)]

    def _writes(self, entry: Entry, handle: int) -> bool:
        if entry.kind in self._log.functions:
            changed = self._log.written.get(entry.kind)
            if changed is None:
                changed = self._log.written[entry.kind] = written_arguments(entry.kind)
            return any(entry.inputs[at] == handle for at in changed if at < len(entry.inputs))
        return entry.kind.startswith(WRITERS)

    def _touches(self) -> dict[int, list[Entry]]:
        found: dict[int, list[Entry]] = {}
        born: set[int] = set()
        for entry in self._log.entries:
            if entry.kind == "VarHandleOp":
                born.add(entry.outputs[0])
            for number in entry.inputs:
                if self._is_handle(number):
                    if number in born and entry.kind == "AssignVariableOp":
                        # Its first value, which it still has.
                        born.discard(number)
                    elif len(entry.inputs) > 1 and entry.inputs[-1] in self._updates and entry.kind.startswith(WRITERS):
                        continue
                    elif entry.position >= self._start:
                        found.setdefault(number, []).append(entry)
        return found

    def _is_handle(self, number: int) -> bool:
        return number in self._log.handles

    def _collect(self, wanted: list[int]) -> None:
        waiting = list(wanted)
        seen: set[int] = set()
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            if self._is_handle(number):
                self.handles.append(number)
                continue
            made = self._log.made.get(number)
            if made is None or made[0].position < self._start or made[0].opaque or self._cut(number):
                self.given.append(number)
                continue
            entry = made[0]
            self._add(entry, waiting)

    def _add(self, entry: Entry, waiting: list[int]) -> None:
        if entry.position in self._needed:
            return
        self._needed[entry.position] = entry
        waiting += entry.inputs
        for number in entry.inputs:
            before = self._last_writer(number, entry)
            if before is not None:
                self._add(before, waiting)

    def _last_writer(self, handle: int, entry: Entry) -> Entry | None:
        found = None
        for other in self._touching.get(handle, []):
            if other.position >= entry.position:
                break
            if self._writes(other, handle):
                found = other
        return found

    def _order(self) -> dict[int, list[Entry]]:
        """By the position of an entry. A writer also waits for those that read the value before it."""
        controls: dict[int, list[Entry]] = {}
        for handle, touching in self._touching.items():
            writer: Entry | None = None
            readers: list[Entry] = []
            for entry in touching:
                if entry.position not in self._needed:
                    continue
                before = [writer] if writer is not None else []
                if self._writes(entry, handle):
                    controls.setdefault(entry.position, []).extend(before + readers)
                    writer, readers = entry, []
                else:
                    controls.setdefault(entry.position, []).extend(before)
                    readers.append(entry)
        return controls


def functions_below(names: set[str]) -> list[Any]:
    """The definitions of functions and of all that they call, as the runtime has them; one that is gone is left out."""
    context: Any = sys.modules["tensorflow.python.eager.context"].context()
    found: dict[str, Any] = {}
    waiting = sorted(names)
    while waiting:
        name = waiting.pop()
        if name in found or not context.has_function(name):
            continue
        definition = found[name] = context.get_function_def(name)
        for node in definition.node_def:
            waiting += _called(node)
    return list(found.values())


def written_arguments(name: str) -> frozenset[int]:
    """Which arguments of a function are variables that it, or a function that it calls, changes."""
    functions = {function.signature.name: function for function in functions_below({name})}
    return _written(name, functions, frozenset())


def _written(name: str, functions: dict[str, Any], above: frozenset[str]) -> frozenset[int]:
    function = functions.get(name)
    if function is None or name in above:
        return frozenset()
    arguments = {argument.name: number for number, argument in enumerate(function.signature.input_arg)}
    found: set[int] = set()
    for node in function.node_def:
        places: set[int] = set()
        if node.op.startswith(WRITERS):
            places = {0}
        for inner in _called(node):
            first = 1 if node.op in _BRANCHES else 0
            places |= {first + at for at in _written(inner, functions, above | {name})}
        for at in places:
            given = node.input[at].partition(":")[0] if at < len(node.input) else ""
            if given in arguments:
                found.add(arguments[given])
    return frozenset(found)


def _called(node: Any) -> list[str]:
    values = list(node.attr.values())
    named = [value.func.name for value in values if value.HasField("func")]
    return [node.op, *named, *(function.name for value in values for function in value.list.func)]


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
