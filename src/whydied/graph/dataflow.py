"""A final graph as one flat step: its ops in the order in which TensorFlow's executor could run them. Pure.

In a final graph functions are inlined, and loops and branches are primitive ops: `Enter`, `Merge`, `Switch`,
`NextIteration` and `Exit`. Here tensors travel along the edges as in the executor: an op runs when all its inputs are
there, once for each turn of the loops that it is in; what comes from a branch not taken is dead, and so is all that
needs it. Conditions are computed where they follow from shapes and constants. Where one does not, a branch is taken,
and a loop ends when all lists in it are read, or after one turn.

Invariant: a node stands after all whose outputs it takes.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from whydied.graph.expansion import LARGEST_NODES, Bindings, Expander, Expansion, Scene
from whydied.graph.op_table import Op, Table

Turn = tuple[tuple[str, int], ...]
"""The loops that an op is in, from the outermost, each with the number of its turn."""
_DEAD = -1
_SOURCES = frozenset({"IteratorGetNext", "IteratorGetNextSync"})
_RESULT = "_Retval"
_ARGUMENT = "_Arg"
_UNKNOWN_TURNS = 1


class _Arriving:
    """What has come in at an op in one turn."""

    __slots__ = ("controls", "dead", "inputs", "waits")

    def __init__(self, op: Op) -> None:
        self.inputs: list[int] = [_DEAD] * len(op.inputs)
        self.controls: list[int] = []
        self.dead = False
        self.waits = len(op.inputs) + len(op.controls)


class _Edge(NamedTuple):
    """Where an output goes; `position` is -1 for order alone."""

    op: int
    position: int


def expand_final(table: Table, bindings: Bindings) -> Expansion:
    """The step of a final graph with concrete inputs."""
    return _Dataflow(table, bindings).run()


class _Dataflow(Expander):
    def __init__(self, table: Table, bindings: Bindings) -> None:
        super().__init__(table, bindings)
        self._ops = table.functions[0].ops
        self._arriving: dict[tuple[int, Turn], _Arriving] = {}
        self._ready: deque[tuple[int, Turn]] = deque()
        self._fixed: dict[Turn, list[tuple[int, int]]] = {}
        """What enters a loop once and is there in each turn: by the loop, the op and its cell."""
        self._begun: dict[Turn, int] = {}
        self._most_turns: dict[Turn, int] = {}
        self._undecided: deque[tuple[int, Turn, int]] = deque()
        self._results: dict[int, int] = {}
        self._edges: list[dict[int, list[_Edge]]] = [{} for _ in self._ops]
        for number, op in enumerate(self._ops):
            for position, (source, output) in enumerate(op.inputs):
                self._edges[source].setdefault(output, []).append(_Edge(number, position))
            for source in op.controls:
                self._edges[source].setdefault(-1, []).append(_Edge(number, -1))

    def run(self) -> Expansion:
        arguments = {number: self._argument(self._ops[number]) for number in self._table.functions[0].inputs}
        for number, op in enumerate(self._ops):
            if number in arguments:
                self._hand_on(number, (), [arguments[number]], -1)
            elif not op.inputs and not op.controls:
                self._ready.append((number, ()))
        while (self._ready or self._decide()) and len(self.nodes) < LARGEST_NODES:
            number, turn = self._ready.popleft()
            self._fire(number, turn, self._arriving.pop((number, turn), None))
        results = tuple(self._results[number] for number in sorted(self._results))
        return Expansion(self.nodes, self.cells, results, self.batch, [])

    def _fire(self, number: int, turn: Turn, came: _Arriving | None) -> None:
        op = self._ops[number]
        given = came.inputs if came is not None else []
        controls = tuple(came.controls) if came is not None else ()
        if came is not None and came.dead and op.type != "Merge":
            self._bury(number, turn)
            return
        if op.type == _RESULT:
            self._results[number] = given[0]
        elif op.type == "Merge":
            alive = next((cell for cell in given if cell != _DEAD), _DEAD)
            if alive == _DEAD:
                self._bury(number, turn)
            else:
                self._pass_on(number, turn, [alive, self._new(-1, (), "int32")], controls)
        elif op.type == "Switch":
            value = self.cells[given[1]].value
            taken = value is None or bool(value[0])
            self._pass_on(number, turn, [_DEAD if taken else given[0], given[0] if taken else _DEAD], controls)
        elif op.type == "LoopCond":
            if self.cells[given[0]].value is None:
                self._undecided.append((number, turn, given[0]))
            else:
                self._pass_on(number, turn, [given[0]], controls)
        elif op.type == "Enter":
            self._enter(number, turn, given[0])
        elif op.type == "Exit":
            self._hand_on(number, turn[:-1], [given[0]], self._producer(given[0]))
        elif op.type == "NextIteration":
            (frame, at), rest = turn[-1], turn[:-1]
            self._begin(rest, frame, at + 1)
            self._hand_on(number, (*rest, (frame, at + 1)), [given[0]], self._producer(given[0]))
        elif op.type in _SOURCES:
            cells = [self._source(op, position) for position in range(len(op.shapes))]
            self._hand_on(number, turn, cells, -1)
        else:
            cells = self._run(op, list(given), controls, Scene())
            self._hand_on(number, turn, cells, self._producer(cells[0]) if cells else len(self.nodes) - 1)

    def _producer(self, cell: int) -> int:
        return self.cells[cell].node

    def _pass_on(self, number: int, turn: Turn, cells: list[int], controls: tuple[int, ...]) -> None:
        """An op that only chooses: what depends on its order depends on the order of what it passes on."""
        alive = next((cell for cell in cells if cell != _DEAD), _DEAD)
        node = self._producer(alive) if alive != _DEAD else -1
        self._hand_on(number, turn, cells, node if node >= 0 else controls[-1] if controls else -1)

    def _decide(self) -> bool:
        """Whether a loop whose end nobody can compute goes on: asked only when nothing else can run, so that all that
        enters the loop is there."""
        if not self._undecided:
            return False
        number, turn, condition = self._undecided.popleft()
        frame, at = turn[-1]
        goes_on = at < self._most_turns.get((*turn[:-1], (frame, 0)), _UNKNOWN_TURNS)
        decided = self._new(self._producer(condition), (), "bool", (int(goes_on),))
        self._pass_on(number, turn, [decided], ())
        return bool(self._ready) or self._decide()

    def _enter(self, number: int, turn: Turn, cell: int) -> None:
        attributes = self._ops[number].attributes
        frame = str(attributes["frame"])
        inner = (*turn, (frame, 0))
        items = self.cells[cell].items
        if items is not None:
            self._most_turns[inner] = max(self._most_turns.get(inner, _UNKNOWN_TURNS), len(items))
        if attributes.get("constant"):
            self._fixed.setdefault(inner, []).append((number, cell))
            for at in range(self._begun.get(inner, 0) + 1):
                self._hand_on(number, (*turn, (frame, at)), [cell], self._producer(cell))
        else:
            self._hand_on(number, inner, [cell], self._producer(cell))

    def _begin(self, outer: Turn, frame: str, at: int) -> None:
        """A turn of a loop begins: what entered once is there."""
        first = (*outer, (frame, 0))
        if self._begun.get(first, 0) < at:
            self._begun[first] = at
            for number, cell in self._fixed.get(first, ()):
                self._hand_on(number, (*outer, (frame, at)), [cell], self._producer(cell))

    def _bury(self, number: int, turn: Turn) -> None:
        """A dead op: all that needs it is dead, but a loop that ends does not go on dead."""
        if self._ops[number].type in ("NextIteration", "Exit"):
            return
        for edges in self._edges[number].values():
            for edge in edges:
                self._arrive(edge, turn, _DEAD, -1)

    def _hand_on(self, number: int, turn: Turn, cells: list[int], node: int) -> None:
        for output, edges in self._edges[number].items():
            cell = cells[output] if 0 <= output < len(cells) else _DEAD
            for edge in edges:
                if edge.position < 0:
                    self._arrive(edge, turn, _DEAD, node, ordered=True)
                else:
                    self._arrive(edge, turn, cell, node)

    def _arrive(self, edge: _Edge, turn: Turn, cell: int, node: int, *, ordered: bool = False) -> None:
        key = (edge.op, turn)
        op = self._ops[edge.op]
        came = self._arriving.get(key)
        if came is None:
            came = self._arriving[key] = _Arriving(op)
        came.waits -= 1
        if ordered:
            if node >= 0:
                came.controls.append(node)
        elif cell != _DEAD and edge.position >= 0:
            came.inputs[edge.position] = cell
            if op.type == "Merge":
                # The first that is alive is enough; what waits for more has only order to wait for.
                came.waits = 0
        elif op.type != "Merge":
            came.dead = True
        if came.waits == 0:
            self._ready.append(key)
