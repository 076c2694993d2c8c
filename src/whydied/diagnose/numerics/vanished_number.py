"""A small number that keeps a divisor or the argument of a logarithm away from zero, and is itself zero in half
precision. Pure.

What tells is the recorded type of the op, its argument, which is exactly zero, and the number in the source.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.records import FoundOp
from whydied.source.edits.edit import Change, over
from whydied.source.edits.runs.literal_numbers import literal, number_at
from whydied.source.text import Source
from whydied.source.trees import located, nodes_on

_SMALLEST = {"float16": 2.0**-24}
"""What a type can tell from zero; half of it rounds to zero."""
_ENOUGH = "1e-3"
_OPS = frozenset({"RealDiv", "Div", "Rsqrt", "Log", "Reciprocal", "Sqrt", "Pow"})
_WORDS = ("epsilon", "eps")


class Vanished(NamedTuple):
    location: Location
    written: str
    dtype: str
    changes: list[Change]


def vanished_number(case: Case, place: Location | None, op: FoundOp) -> Vanished | None:
    """The only number that the op's statement adds, or gives its layer as an epsilon, and that is zero in its type."""
    dtype = op.output.dtype if op.output is not None else ""
    source = case.sources.get(place.file) if place is not None else None
    if place is None or source is None or dtype not in _SMALLEST or op.op not in _OPS:
        return None
    if not any(value in ("0", "-0") for one in op.inputs for value in one.at_bad):
        return None
    found = {id(number): number for number in _added(source, place.line) if _is_zero(number, _SMALLEST[dtype])}
    if len(found) != 1:
        return None
    number = next(iter(found.values()))
    edit = over(source, place.file, number, _ENOUGH)
    change = Change(title=f"Use an epsilon that {dtype} can hold: {_ENOUGH}", kind="numeric-guard", edits=[edit])
    where = located(case.sources, place.file, number.lineno)
    return Vanished(where, ast.unparse(number), dtype, [change])


def _added(source: Source, line: int) -> list[ast.expr]:
    parts: list[ast.expr] = []
    for node in nodes_on(source, line):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            parts += [node.left, node.right]
        elif isinstance(node, ast.Call):
            parts += [word.value for word in node.keywords if word.arg in _WORDS]
    return [number for part in parts if (number := number_at(source, part)) is not None]


def _is_zero(number: ast.expr, smallest: float) -> bool:
    value = literal(number)
    return value is not None and 0 < value <= smallest / 2
