"""Values on their way through a step, and its variables; runs in the process of the replay.

Invariant: each execution of the step begins with the values that it was given, whatever the one before wrote.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whydied.replay.execution.execution_trace import Ref
from whydied.replay.execution.op_kernels import Kernels


class Cell:
    """A variable. `reason` says why it has no value, "" where it has one. `writer` is who wrote the present value."""

    __slots__ = ("bad", "node", "reason", "value", "variable", "was_written", "writer")

    def __init__(self, node: str, value: Any, reason: str) -> None:
        self.node = node
        self.value = value
        self.reason = reason
        self.variable: Any = None
        self.was_written = False
        self.writer: Ref | None = None
        self.bad = False


class Memory:
    """All variables, by the node that yields the handle."""

    def __init__(self, kernels: Kernels, values: dict[str, Any], reasons: dict[str, str]) -> None:
        self._kernels = kernels
        self._values = values
        self._reasons = reasons
        self._cells: dict[str, Cell] = {}

    def begin(self, other_values: dict[str, Any]) -> None:
        """Start an execution, with other values for some variables."""
        for cell in self._cells.values():
            value = other_values.get(cell.node, self._values.get(cell.node))
            if cell.was_written or value is not cell.value:
                cell.variable = None
            cell.value = value
            cell.reason = "" if value is not None else self._reason(cell.node)
            cell.was_written, cell.writer, cell.bad = False, None, False
        for node, value in other_values.items():
            if node not in self._cells:
                self._cells[node] = Cell(node, value, "")

    def cell(self, node: str) -> Cell | None:
        """The variable of a node; None where the node is not a variable of the capture."""
        if node not in self._cells:
            if node not in self._values and node not in self._reasons:
                return None
            value = self._values.get(node)
            self._cells[node] = Cell(node, value, "" if value is not None else self._reason(node))
        return self._cells[node]

    def handle(self, cell: Cell) -> Any:
        if cell.variable is None:
            cell.variable = self._kernels.variable(cell.value)
        return cell.variable.handle

    def read(self, cell: Cell) -> Any:
        return cell.variable.value() if cell.was_written else cell.value

    def _reason(self, node: str) -> str:
        return self._reasons.get(node) or f"the value of the variable {node} was not captured"


class Slot:
    """A value and where it came from. `cell` is set for the handle of a variable, `reason` where the value is missing;
    `dead` is a branch not taken in a graph of TensorFlow 1."""

    __slots__ = ("bad", "cell", "dead", "is_ref", "reason", "ref", "stack", "value")

    def __init__(self, ref: Ref, value: Any, bad: bool = False, reason: str = "") -> None:
        self.ref = ref
        self.value = value
        self.bad = bad
        self.reason = reason
        self.cell: Cell | None = None
        self.is_ref = False
        self.dead = False
        self.stack: list[Slot] | None = None


def missing(reason: str, count: int) -> list[Slot]:
    """Values that cannot be had."""
    return [Slot(Ref(0, 0), None, reason=reason) for _ in range(count)]


def dead() -> Slot:
    slot = Slot(Ref(0, 0), None)
    slot.dead = True
    return slot


class FloatTypes(NamedTuple):
    """`kinds` are those whose elements can be bad, `opaque` those that may hold such and cannot be looked into."""

    kinds: frozenset[Any]
    opaque: frozenset[Any]


def float_types(kernels: Kernels) -> FloatTypes:
    types = kernels.tensorflow.dtypes
    names = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "float8_e5m2", "float8_e4m3fn")
    kinds = {getattr(types, name) for name in names if hasattr(types, name)}
    return FloatTypes(frozenset(kinds), frozenset({types.variant}))
