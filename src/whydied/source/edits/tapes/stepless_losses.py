"""Steps on the way to a loss, which have no gradient, left out: a rounded prediction becomes the prediction, and a
comparison that is made a number becomes a sigmoid around the same limit. Pure.

Steps of what only comes from data stay. A class that `argmax` picks is left alone: without it the loss is another one.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.training.taped_flow import Taped, taped
from whydied.source.trees import written

_STEPS = frozenset({"round", "floor", "ceil", "rint", "stop_gradient"})
_ABOVE = frozenset({"greater", "greater_equal"})
_BELOW = frozenset({"less", "less_equal"})
_STEEPNESS = "10.0"


class Stepless(NamedTuple):
    """The edits, and what they leave out, as written."""

    edits: list[Edit]
    left: list[str]


def stepless(sources: Mapping[str, Source], place: Location, callers: list[Location]) -> Stepless | None:
    """None where the loss has no such step, or one that cannot be left out."""
    edits: dict[Edit, None] = {}
    left: dict[str, None] = {}
    for one in taped(sources, place, callers):
        pending: list[ast.AST] = [one.value]
        while pending:
            node = pending.pop()
            anew = _anew(sources[one.file], one, node) if isinstance(node, ast.Call) else None
            if anew is None or not isinstance(node, ast.Call):
                pending += ast.iter_child_nodes(node)
                continue
            edits[over(sources[one.file], one.file, node, anew[0])] = None
            left[written(node.func) if callee(node) != "cast" else written(node)] = None
            if _has_step(anew[1], one):
                return None
    return Stepless(list(edits), list(left)) if edits else None


def _anew(source: Source, taped: Taped, call: ast.Call) -> tuple[str, ast.expr] | None:
    """A call without its step, as text, and what is left of it."""
    first = call.args[0] if call.args else None
    if first is None or not taped.depends(first):
        return None
    if callee(call) in _STEPS and isinstance(call.func, ast.Attribute):
        inner = _anew(source, taped, first) if isinstance(first, ast.Call) else None
        return inner or (_in_brackets(source, first), first)
    if callee(call) != "cast":
        return None
    limited = _limited(first)
    if limited is not None:
        value, limit, sign = limited
        text = f"{_in_brackets(source, value)} - {_in_brackets(source, limit)}"
        if sign < 0:
            text = f"{_in_brackets(source, limit)} - {_in_brackets(source, value)}"
        tf = name_of(source, "tensorflow")
        prefix = f"{tf}.sigmoid" if tf else f"{written(call.func).rpartition('.')[0]}.sigmoid"
        return f"{prefix}({_STEEPNESS} * ({text}))", value
    whole = any("int" in written(one) for one in [*call.args[1:], *(word.value for word in call.keywords)])
    inner = _anew(source, taped, first) if isinstance(first, ast.Call) else None
    return (inner or (_in_brackets(source, first), first)) if whole else None


def _limited(node: ast.expr) -> tuple[ast.expr, ast.expr, int] | None:
    """What is compared with which limit, and whether it is to be above it."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        if isinstance(node.ops[0], ast.Gt | ast.GtE):
            return node.left, node.comparators[0], 1
        return (node.left, node.comparators[0], -1) if isinstance(node.ops[0], ast.Lt | ast.LtE) else None
    if isinstance(node, ast.Call) and len(node.args) == 2 and callee(node) in _ABOVE | _BELOW:
        return node.args[0], node.args[1], 1 if callee(node) in _ABOVE else -1
    return None


def _has_step(node: ast.expr, taped: Taped) -> bool:
    """Whether what is left has a step of its own, whose edit would lie inside of this one."""
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call) and one.args]
    return any(callee(one) in _STEPS | {"cast"} and taped.depends(one.args[0]) for one in calls)


def _in_brackets(source: Source, node: ast.expr) -> str:
    text = written_in(source, node)
    plain = isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.Constant)
    return text if plain else f"({text})"
