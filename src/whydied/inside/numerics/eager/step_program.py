"""A step as a program: nodes, what they are given, variables and targets, without any tensor of the user's kept alive;
runs in the user's process.

Invariant: small values that the program holds nowhere (numbers, shapes, axes) are constants, as long as they
are the same in all listed steps; everything else that comes from outside has a place in the program at which a later
step's value is found again, or is said to be missing. With `values` the tensors of the listed step itself are there,
and nothing is missing that was held.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterable
from typing import Any, NamedTuple

from whydied.inside.numerics import hidden_ops
from whydied.inside.numerics.eager.expressions import Expression, Offer, Offers, as_array
from whydied.inside.numerics.eager.named_tensors import Holding, Place, Provenance
from whydied.inside.numerics.eager.needed_ops import CONSTANT_BYTES, Sketch, Sketches, Window, sketch
from whydied.inside.numerics.eager.op_log import SMALL_BYTES, Differentiated, Entry, OpLog, Surroundings, size_of

_WORD = re.compile(r"[^A-Za-z0-9_.\-/]+")
_ADDS = {"AddV2": 1, "Add": 1, "Sub": -1}
_ASSIGNS = {"AssignAddVariableOp": 1, "AssignSubVariableOp": -1}


class Target(NamedTuple):
    """A tensor of interest: a gradient, an update or a loss. `key` is the number of its variable's handle, of a loss
    its place among the losses."""

    role: str
    key: int
    number: int


class Given(NamedTuple):
    """A tensor from outside. `place` is where the program has it, `rivals` are other expressions that were worth the
    same, `variables` those that it may be the value of; `value` is a constant's, or that of the listed step, and
    `steady` says that it was seen to be no other in other steps; `maker` is the op that made it, where one did."""

    node: str
    shape: tuple[int, ...]
    dtype: Any
    constant: bool
    place: Place | Expression | None
    value: Any
    why: str
    maker: str = ""
    rivals: tuple[Expression, ...] = ()
    variables: tuple[Any, ...] = ()
    steady: bool = False


class Written(NamedTuple):
    """A variable of the step. `changed` says that the step writes it before its end, `moved` by how much where that is
    always the same; `start` is its value at the start of the listed step, where it was kept."""

    node: str
    number: int
    handle: Any
    name: str
    layer: str
    changed: bool
    moved: Any
    start: Any


class Node(NamedTuple):
    name: str
    entry: Entry
    inputs: tuple[str, ...]
    controls: tuple[str, ...]
    forward: str


class Program(NamedTuple):
    nodes: tuple[Node, ...]
    given: tuple[Given, ...]
    variables: tuple[Written, ...]
    targets: dict[tuple[str, int], str]
    functions: dict[str, Any]
    step: int
    complete: bool
    """Whether all ops of the step are in it."""
    ops: int = 0
    """The same for steps with the same ops."""

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return tuple(given.shape for given in self.given if not given.constant)


class ProgramMaker:
    """Makes a program of a list of ops, from `start` to its end."""

    def __init__(
        self,
        log: OpLog,
        start: int,
        held: list[Holding],
        offers: Offers,
        sketches: Sketches,
        trained: list[Any],
        names: dict[int, str],
        values: bool,
    ) -> None:
        self._log = log
        self._start = start
        self._values = values
        self._names = names
        self._origin = Provenance(log, held, offers)
        self._slices: dict[int, Offer] = self._origin.slices(start)
        self._sketches = sketches
        self._sketch: Sketch | None = None
        self._varying: frozenset[int] = frozenset()
        self._trained = trained
        self._silent: dict[int, Any] = {}
        """The handles of variables by the numbers of their values, where no callback saw that they were read."""
        self._likely: dict[int, tuple[Any, ...]] = {}
        """The same where several variables come into question."""
        self._given: dict[int, Given] = {}
        self._taken: dict[str, int] = {}
        self._refs: dict[int, str] = {}
        self._by_entry: dict[int, str] = {}
        self._forwards: dict[int, Entry] = {}
        self._losses: list[int] = []

    def make(self, targets: list[Target], step: int) -> Program:
        wanted = [target.number for target in targets]
        updates = frozenset(target.number for target in targets if target.role == "update")
        window = Window(self._log, self._start, wanted, updates, self._cutter())
        self._sketch = sketch(window, self._log)
        varying = self._sketches.varying(self._sketch)
        self._find_reads(varying)
        self._varying = varying - self._silent.keys()
        if varying:
            window = Window(self._log, self._start, wanted, updates, self._cutter())
        self._losses = [target.number for target in targets if target.role == "loss"]
        handles = dict.fromkeys([*window.handles, *(self._silent[n]._id for n in window.given if n in self._silent)])
        variables = [self._variable(number, window) for number in handles]
        nodes = []
        for number in window.given:
            if number in self._silent:
                nodes.append(self._read_node(number))
                continue
            given = self._outside(number)
            self._given[number] = given
            self._refs[number] = f"{given.node}:0"
        nodes += [self._node(entry, window) for entry in window.entries]
        return Program(
            tuple(nodes),
            tuple(self._given.values()),
            tuple(variables),
            {(t.role, t.key): self._refs[t.number] for t in targets if t.number in self._refs},
            dict(self._log.functions),
            step,
            not self._log.lost,
            self._sketch.ops,
        )

    def _find_reads(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            tensor = self._log.tensor(number)
            found = _candidates(tensor, self._trained, self._log.entries[self._start :]) if tensor is not None else []
            if len(found) == 1:
                self._silent[number] = found[0]
                self._log.handles.setdefault(found[0]._id, weakref.ref(found[0]))
            elif found:
                self._likely[number] = tuple(weakref.ref(handle) for handle in found)

    def _read_node(self, number: int) -> Node:
        """The reading of a variable that no callback saw."""
        tensor, handle = self._log.tensor(number), self._silent[number]
        around = Surroundings((), None, False, None, ())
        entry = Entry(
            -1, "ReadVariableOp", ("dtype", tensor.dtype), (handle._id,), (number,), (tensor.dtype,), around, False
        )
        name = self._unique("ReadVariableOp")
        self._refs[number] = f"{name}:0"
        return Node(name, entry, (self._refs[handle._id],), (), "")

    def _cutter(self) -> Any:
        """Which tensors are taken from the program itself: parts of its tensors, and those that hang on something that
        could not be had again, and on no variable."""
        if self._values:
            return lambda number: number in self._slices
        places = self._origin.places
        missing: set[int] = set()
        varied: set[int] = set()
        for entry in self._log.entries[self._start :]:
            inputs = entry.inputs
            if any(number in varied or self._is_variable(number) for number in inputs):
                varied.update(entry.outputs)
            elif entry.outputs and entry.outputs[0] in self._slices:
                continue
            elif entry.opaque or any(number in missing or self._is_missing(number) for number in inputs):
                missing.update(entry.outputs)
        return lambda number: number in self._slices or (number in missing and number in places)

    def _is_variable(self, number: int) -> bool:
        return number in self._log.handles or number in self._silent or number in self._likely

    def _is_missing(self, number: int) -> bool:
        if number in self._log.made or number in self._origin.places or self._is_variable(number):
            return False
        tensor = self._log.tensor(number)
        if tensor is None:
            return True
        if size_of(tensor) <= CONSTANT_BYTES and number not in self._varying:
            return False
        return self._origin.array(tensor) is None and not self._origin.expressions(tensor)

    def _outside(self, number: int) -> Given:
        sliced = self._slices.get(number)
        if sliced is not None:
            return self._part(number, sliced)
        tensor = self._log.tensor(number)
        tensor = self._origin.tensors.get(number) if tensor is None else tensor
        place: Place | Expression | None = self._origin.places.get(number)
        made = self._log.made.get(number)
        if tensor is None:
            kind = made[0].types[made[1]] if made is not None else None
            why = "" if place is not None else "the value was too large to keep"
            return Given(self._unique("given"), (), kind, False, place, None, why)
        shape, dtype = tuple(tensor._shape_tuple()), tensor.dtype
        if place is None:
            place = self._origin.array(tensor)
        size = size_of(tensor)
        if place is None and made is None:
            written = self._written(number, tensor) if number not in self._likely else []
            if written:
                return self._worth(tensor, written)
            if size <= CONSTANT_BYTES and number not in self._varying:
                return Given(self._unique("constant"), shape, dtype, True, None, tensor._numpy().copy(), "")
        why = ""
        if place is None and not self._values:
            what = f"made by {made[0].kind}" if made is not None else "that the program has no name for"
            why = f"a value {what}: that of the traced step" if size <= SMALL_BYTES else f"a value {what} is not known"
        keep = self._values or (place is None and size <= SMALL_BYTES)
        value = tensor._numpy() if self._values else tensor._numpy().copy() if keep else None
        word = place.text if place is not None else "given"
        maker = made[0].kind if made is not None else ""
        likely = self._likely.get(number, ())
        return Given(self._unique(word), shape, dtype, False, place, value, why, maker, variables=likely)

    def _written(self, number: int, tensor: Any) -> list[Expression]:
        """The expressions that a tensor is worth, in this step and in the other listed ones."""
        found = self._origin.expressions(tensor)
        if self._sketch is None or number not in self._sketch.numbers:
            return found
        agreed = self._sketches.agreed(self._sketch, number, [expression.text for expression in found])
        return [expression for expression in found if expression.text in agreed]

    def _worth(self, tensor: Any, written: list[Expression]) -> Given:
        keep = self._values or size_of(tensor) <= CONSTANT_BYTES
        return Given(
            self._unique(written[0].text),
            tuple(tensor._shape_tuple()),
            tensor.dtype,
            False,
            written[0],
            tensor._numpy().copy() if keep else None,
            "",
            rivals=tuple(written[1:]),
            steady=tensor._id not in self._varying and not tensor._shape_tuple(),
        )

    def _part(self, number: int, offer: Offer) -> Given:
        entry, slot = self._log.made[number]
        value = as_array(offer.value, entry.types[slot].as_numpy_dtype)
        return Given(
            self._unique(offer.expression.text),
            tuple(value.shape),
            entry.types[slot],
            False,
            offer.expression,
            value.copy() if self._values else None,
            "",
        )

    def _variable(self, number: int, window: Window) -> Written:
        things = [thing for one in self._log.variables.get(number, []) if (thing := one()) is not None]
        layer = next((e.around.layer for e in window.entries if number in e.inputs and e.around.layer), None)
        name = self._names.get(number) or _variable_name(things, layer.name if layer is not None else "")
        writers = window.writers(number)
        node = self._unique(name)
        self._refs[number] = f"{node}:0"
        return Written(
            node,
            number,
            self._log.handles[number],
            name,
            layer.name if layer is not None else "",
            bool(writers),
            self._moved(number, writers),
            self._start_of(number, writers) if self._values else None,
        )

    def _start_of(self, handle: int, writers: list[Entry]) -> Any:
        """What the step first read of a variable, where that was before it wrote it."""
        first = writers[0].position if writers else len(self._log.entries)
        for entry in self._log.entries[self._start : first]:
            if entry.kind == "ReadVariableOp" and entry.inputs[0] == handle:
                kept = self._log.tensor(entry.outputs[0])
                return kept._numpy() if kept is not None else None
        return None

    def _moved(self, handle: int, writers: list[Entry]) -> Any:
        """By how much a step moves an integer variable, such as a seed's counter: by constants only, else None."""
        total: Any = 0
        for entry in writers:
            delta = self._delta(handle, entry)
            if delta is None:
                return None
            total = total + delta
        return total if writers else None

    def _delta(self, handle: int, entry: Entry) -> Any:
        if entry.kind in _ASSIGNS:
            return self._integer(entry.inputs[1], _ASSIGNS[entry.kind])
        made = self._log.made.get(entry.inputs[1]) if entry.kind == "AssignVariableOp" else None
        if made is None or made[0].kind not in _ADDS:
            return None
        left, right = made[0].inputs
        if self._reads(left, handle):
            return self._integer(right, _ADDS[made[0].kind])
        return self._integer(left, 1) if self._reads(right, handle) and made[0].kind != "Sub" else None

    def _reads(self, number: int, handle: int) -> bool:
        made = self._log.made.get(number)
        return made is not None and made[0].kind == "ReadVariableOp" and made[0].inputs[0] == handle

    def _integer(self, number: int, sign: int) -> Any:
        tensor = self._log.tensor(number)
        if tensor is None or not tensor.dtype.is_integer or size_of(tensor) > CONSTANT_BYTES:
            return None
        return tensor._numpy().astype("int64") * sign

    def _node(self, entry: Entry, window: Window) -> Node:
        around = entry.around
        forward = ""
        if around.differentiated is not None:
            differentiated = self._forward(around.differentiated, window)
            if differentiated is not None:
                self._forwards[entry.position] = differentiated
                forward = self._by_entry.get(differentiated.position, "")
        scope = around.layer.name if around.layer is not None else ""
        if around.backward:
            scope = f"gradient_tape/{forward}_grad" if forward else "gradient_tape"
        name = self._unique(f"{scope}/{entry.kind}" if scope else entry.kind)
        self._by_entry[entry.position] = name
        for slot, number in enumerate(entry.outputs):
            self._refs.setdefault(number, f"{name}:{slot}")
        return Node(
            name,
            entry,
            tuple(self._refs[number] for number in entry.inputs),
            tuple(dict.fromkeys(self._by_entry[other.position] for other in window.controls.get(entry.position, []))),
            forward,
        )

    def _forward(self, wanted: Differentiated, window: Window) -> Entry | None:
        """The op that is differentiated. The tape keeps only the tensors that it needs, so the gradients tell too: they
        were made for ops that took what this one made."""
        for number in wanted.outputs:
            made = self._log.made.get(number)
            if made is not None and made[0].kind == wanted.kind:
                return made[0]
        makers = [made[0] for made in map(self._log.made.get, self._taken_from(wanted.gradients)) if made is not None]
        found = [entry for entry in makers if entry.kind == wanted.kind]
        if len(found) > 1 or (not found and wanted.inputs):
            alike = found or [entry for entry in window.entries if entry.kind == wanted.kind]
            found = sorted(alike, key=lambda entry: -len({*entry.inputs} & {*wanted.inputs}))
        return found[0] if found else None

    def _taken_from(self, gradients: tuple[int, ...]) -> list[int]:
        """What the ops took for which gradients were made; sums of gradients are looked through."""
        found: list[int] = []
        waiting = list(gradients)
        while waiting:
            number = waiting.pop()
            made = self._log.made.get(number)
            if made is None:
                found += self._losses
            elif made[0].position in self._forwards:
                found += self._forwards[made[0].position].inputs
            elif made[0].kind == "AddN":
                waiting += made[0].inputs
        return found

    def _unique(self, wanted: str) -> str:
        name = _WORD.sub("_", wanted).strip("/").lstrip("_-") or "node"
        number = self._taken.get(name, -1) + 1
        self._taken[name] = number
        return self._unique(f"{name}_{number}") if number else name


def _variable_name(things: list[Any], layer: str) -> str:
    path = getattr(things[1], "path", None) if len(things) > 1 else None
    if isinstance(path, str):
        return path
    own = str(getattr(things[0], "name", "") if things else "").partition(":")[0] or "variable"
    return f"{layer}/{own}" if layer and "/" not in own else own


def _candidates(tensor: Any, handles: Iterable[Any], entries: list[Entry]) -> list[Any]:
    """The handles of the variables that a tensor may be the value of, by its type and shape, where no listed op read
    them. TensorFlow reads a variable that an op is given in C, and no callback sees that. Nothing is read here, because
    that would use up a number that TensorFlow gives to names."""
    told = {entry.inputs[0] for entry in entries if entry.kind == "ReadVariableOp"}
    wanted = (tensor.dtype.as_datatype_enum, tuple(tensor._shape_tuple()))
    return [handle for handle in handles if handle._id not in told and _type_and_shape(handle) == wanted]


def _type_and_shape(handle: Any) -> tuple[int, tuple[int, ...]] | None:
    form = hidden_ops.form_of(handle)
    return (int(form.dtype), tuple(int(extent.size) for extent in form.shape.dim)) if form is not None else None
