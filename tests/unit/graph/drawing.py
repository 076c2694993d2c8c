"""Tables of ops drawn by hand."""

from __future__ import annotations

from typing import Any

from whydied.graph.op_table import Dims, Function, Layer, Line, Op, Table, Variable


class Drawing:
    """A function under construction: each call adds an op and gives its number."""

    def __init__(self, name: str = "step") -> None:
        self.name = name
        self.ops: list[Op] = []
        self.inputs: list[int] = []

    def op(
        self,
        kind: str,
        *inputs: int | tuple[int, int],
        shape: Dims | None = (),
        dtype: str = "float32",
        shapes: tuple[Dims | None, ...] | None = None,
        dtypes: tuple[str, ...] | None = None,
        name: str = "",
        **more: Any,
    ) -> int:
        shapes = (shape,) if shapes is None else shapes
        row = Op(
            name or f"{kind}_{len(self.ops)}",
            kind,
            tuple(pair if isinstance(pair, tuple) else (pair, 0) for pair in inputs),
            shapes=shapes,
            dtypes=dtypes or (dtype,) * len(shapes),
            **more,
        )
        self.ops.append(row)
        return len(self.ops) - 1

    def argument(self, shape: Dims | None, dtype: str = "float32", **more: Any) -> int:
        number = self.op("Placeholder", shape=shape, dtype=dtype, **more)
        self.inputs.append(number)
        return number

    def integers(self, *values: int, scalar: bool = False) -> int:
        return self.op("Const", shape=() if scalar else (len(values),), dtype="int32", value=values)

    def function(self, *outputs: int | tuple[int, int], keep: tuple[int, ...] = ()) -> Function:
        pairs = tuple(pair if isinstance(pair, tuple) else (pair, 0) for pair in outputs)
        return Function(self.name, tuple(self.ops), tuple(self.inputs), pairs, keep)


def table(
    *functions: Function,
    lines: tuple[Line, ...] = (),
    layers: tuple[Layer, ...] = (),
    variables: tuple[Variable, ...] = (),
    threads: int = 1,
) -> Table:
    return Table(functions[0].name, functions, lines, layers, variables, threads=threads)
