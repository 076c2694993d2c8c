"""The numbers that expressions of the user's source have, as far as constants go: numbers, names that are assigned
once, and arithmetic of these. What cannot be followed is not guessed. Pure."""

from __future__ import annotations

import ast
import math
import operator
import textwrap
from collections.abc import Callable
from typing import NamedTuple

from whydied.source.assignments import unpacked
from whydied.source.text import tree_or_empty
from whydied.source.trees import walk

_DEPTH = 8
_OPERATORS: dict[type[ast.operator], Callable[..., object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
}


def constants(tree: ast.Module) -> dict[str, float]:
    """Names that are assigned exactly once, and to a number."""
    assigned: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for one in node.targets:
                for target, value in unpacked(one, node.value):
                    if isinstance(target, ast.Name):
                        assigned.setdefault(target.id, []).append(value)
        elif isinstance(node, ast.arg):
            assigned.setdefault(node.arg, [])
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            assigned.setdefault(node.target.id, []).extend([node.target, node.target])
    known: dict[str, float] = {}
    for _ in range(3):
        for name, values in assigned.items():
            if len(values) == 1 and (number := evaluate(values[0], known)) is not None:
                known[name] = number
    return known


def evaluate(node: ast.AST, known: dict[str, float], depth: int = _DEPTH) -> float | None:
    """The number that an expression of constants has, where that is finite."""
    if isinstance(node, ast.Constant):
        return _number(node.value)
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and depth:
        value = evaluate(node.operand, known, depth - 1)
        return -value if value is not None else None
    if isinstance(node, ast.BinOp) and depth:
        left, right = evaluate(node.left, known, depth - 1), evaluate(node.right, known, depth - 1)
        return _number(_computed(node.op, left, right)) if left is not None and right is not None else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "int" and depth:
        value = evaluate(node.args[0], known, depth - 1) if len(node.args) == 1 and not node.keywords else None
        return int(value) if value is not None else None
    return None


def number_beyond(text: str | None, largest: float) -> str | None:
    """A number of a statement whose size is above a limit, as it is written, with its sign."""
    plain = textwrap.dedent(text or "")
    tree = tree_or_empty(plain)
    negative = [node for node in walk(tree, ast.UnaryOp) if isinstance(node.op, ast.USub)]
    signed: list[ast.AST] = [node for node in negative if _is_beyond(node.operand, largest)]
    found = signed or [node for node in ast.walk(tree) if _is_beyond(node, largest)]
    return ast.get_source_segment(plain, found[0]) if found else None


def _is_beyond(node: ast.AST, largest: float) -> bool:
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, (int, float)) and largest < abs(value) < math.inf


def _number(value: object) -> float | None:
    """A value where it is a real number: a power can be complex, a product overflow to infinity."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None


def _computed(kind: ast.operator, left: float, right: float) -> object:
    if isinstance(kind, ast.Pow | ast.LShift) and (abs(right) > 64 or abs(left) > 1e9):
        return None
    try:
        return _OPERATORS[type(kind)](left, right)
    except (KeyError, ArithmeticError, ValueError, TypeError):
        return None


class Solved(NamedTuple):
    """The name in an expression, its number, and the number that gives the expression another value."""

    name: str
    was: int
    size: int


def solved(text: str, value: int, wanted: int) -> Solved | None:
    """What `classes` has to be for `classes + 5` to be `wanted`, where it is `value` now; for a name and a constant."""
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(node, ast.BinOp):
        return None
    left, right = node.left, node.right
    constant, name = (right, left) if isinstance(right, ast.Constant) else (left, right)
    if not isinstance(constant, ast.Constant) or type(constant.value) is not int or isinstance(name, ast.Constant):
        return None
    by, found = constant.value, []
    for result in (value, wanted):
        if isinstance(node.op, ast.Add):
            found.append(result - by)
        elif isinstance(node.op, ast.Sub) and name is left:
            found.append(result + by)
        elif isinstance(node.op, ast.Mult) and by and result % by == 0:
            found.append(result // by)
        else:
            return None
    return Solved(ast.unparse(name), *found)
