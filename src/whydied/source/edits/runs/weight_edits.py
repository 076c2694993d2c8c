"""Edits of where weights come from: loaded ones cleaned of what is not finite, initial ones drawn smaller, new values
assigned to the variable that has the name. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, line_after, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.runs.literal_numbers import literal, number_at
from whydied.source.text import Source
from whydied.source.trees import across, nodes_on, written

WIDE = 10.0
"""No initializer that people use draws weights of this size."""
USUAL = "0.05"
_DRAWING = frozenset(
    {"normal", "random_normal", "truncated_normal", "uniform", "random_uniform", "randn", "rand", "random"}
)
_DRAWING_CLASSES = frozenset({"RandomNormal", "TruncatedNormal", "RandomUniform", "VarianceScaling", "Constant"})
_SPREADS = ("stddev", "scale", "maxval", "minval", "high", "low", "value")
_ADDED = {ast.Add: "assign_add", ast.Sub: "assign_sub"}
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@", ast.Mod: "%"}


class Drawn(NamedTuple):
    """The line that draws weights, how wide, and the edit that draws them as wide as usual."""

    file: str
    line: int
    spread: float
    edit: Edit


def drawn_wide(sources: Mapping[str, Source]) -> Drawn | None:
    """The only place of the program that draws numbers this wide: `normal(shape, stddev=50.0)`, `50 * randn(3, 4)`."""
    found: dict[tuple[str, int, int], Drawn] = {}
    for file, node in across(sources, (ast.Call, ast.BinOp)):
        number = _spread(sources[file], node)
        size = literal(number) if number is not None else None
        if number is not None and size is not None and abs(size) >= WIDE:
            edit = over(sources[file], file, number, USUAL)
            found[file, number.lineno, number.col_offset] = Drawn(file, node.lineno, size, edit)
    return next(iter(found.values())) if len(found) == 1 else None


def _spread(source: Source, node: ast.expr) -> ast.expr | None:
    """The number that says how wide an expression draws, at the place where it is written."""
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        draws = any(isinstance(side, ast.Call) and callee(side) in _DRAWING for side in sides)
        factors = [place for side in sides if (place := number_at(source, side)) is not None]
        return factors[0] if draws and isinstance(node.op, ast.Mult) and len(factors) == 1 else None
    if not isinstance(node, ast.Call) or callee(node) not in _DRAWING | _DRAWING_CLASSES:
        return None
    given = [value for word in _SPREADS if (value := passed_argument(node, word)) is not None]
    if callee(node) in _DRAWING_CLASSES and not given:
        given = node.args[-1:]
    places = [place for value in given if (place := number_at(source, value)) is not None]
    return max(places, key=lambda place: abs(literal(place) or 0.0), default=None)


def cleaned(source: Source, file: str, line: int) -> Edit | None:
    """Weights that a statement sets, loads or restores, with 0 in the place of what is not finite."""
    calls = [node for node in nodes_on(source, line) if isinstance(node, ast.Call)]
    numpy, tensorflow = name_of(source, "numpy"), name_of(source, "tensorflow")
    for call in calls:
        if not isinstance(call.func, ast.Attribute):
            continue
        of = written_in(source, call.func.value)
        given = call.args[0] if call.args else None
        if call.func.attr == "set_weights" and numpy and isinstance(given, ast.expr):
            text = f"[{numpy}.nan_to_num(weight, posinf=0.0, neginf=0.0) for weight in {written_in(source, given)}]"
            return over(source, file, given, text)
        if call.func.attr == "load_weights" and numpy:
            weights = f"[{numpy}.nan_to_num(weight, posinf=0.0, neginf=0.0) for weight in {of}.get_weights()]"
            return line_after(source, file, line, f"{of}.set_weights({weights})")
        if call.func.attr == "assign" and given is not None and numpy:
            return over(source, file, given, f"{numpy}.nan_to_num({written_in(source, given)}, posinf=0.0, neginf=0.0)")
        if call.func.attr == "restore" and len(call.args) == 2 and tensorflow:
            session = written_in(source, call.args[0])
            variables = f"{tensorflow}.global_variables()"
            whole = f"{tensorflow}.where({tensorflow}.is_finite(one), one, {tensorflow}.zeros_like(one))"
            text = f"{session}.run([one.assign({whole}) for one in {variables} if one.dtype.base_dtype.is_floating])"
            return line_after(source, file, line, text)
    return None


def assigned(source: Source, file: str, node: ast.Assign | ast.AugAssign) -> Edit | None:
    """The statement as a call that gives the variable its new value."""
    text = instead(source, node)
    return over(source, file, node, text) if text else None


def instead(source: Source, node: ast.Assign | ast.AugAssign) -> str:
    """`w.assign_sub(rate * g)` for `w = w - rate * g`; empty where several names are assigned."""
    if isinstance(node, ast.AugAssign):
        name, new, kind = written_in(source, node.target), written_in(source, node.value), type(node.op)
        if kind in _ADDED:
            return f"{name}.{_ADDED[kind]}({new})"
        inner = new if isinstance(node.value, ast.Name | ast.Attribute | ast.Constant | ast.Call) else f"({new})"
        return f"{name}.assign({name} {_SIGNS[kind]} {inner})" if kind in _SIGNS else ""
    if len(node.targets) != 1 or isinstance(node.targets[0], ast.Tuple | ast.List):
        return ""
    name, value = written_in(source, node.targets[0]), node.value
    if isinstance(value, ast.BinOp) and type(value.op) in _ADDED and written(value.left) == written(node.targets[0]):
        return f"{name}.{_ADDED[type(value.op)]}({written_in(source, value.right)})"
    return f"{name}.assign({written_in(source, value)})"
