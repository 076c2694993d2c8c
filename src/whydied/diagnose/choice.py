"""Finds in the user's source what a call was given and where a batch size was chosen. Pure.

Values are followed only as far as constants go: numbers, names assigned once to a number, `len(x)` by what is known
of x, and arithmetic of these. What cannot be followed is not guessed.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location

_BATCHING = {"batch", "padded_batch", "ragged_batch"}
_MODULES = {"tf", "np", "numpy", "tensorflow", "keras", "math", "time", "os"}
_DEPTH = 8


class Choice(NamedTuple):
    """The statement that chose a batch, and the name that it goes by there."""

    location: Location
    name: str


def written(node: ast.AST) -> str:
    """An expression as the source writes it; an ellipsis where it is too deep to write out."""
    try:
        return ast.unparse(node)
    except RecursionError:
        return "…"


def argument(case: Case, place: Location, callee: str, word: str) -> str | None:
    """An argument of a call in a statement as the source writes it: `word` is a position or a keyword. Of several calls
    the one of that name is taken, else the innermost of an object of the program's own."""
    calls = [node for node in nodes_at(case, place) if isinstance(node, ast.Call)]
    named = [call for call in calls if _callee(call) == callee]
    own = [call for call in calls if _root(call.func) not in _MODULES and call.args and _is_plain(call.args[0])]
    for call in [*named, *reversed(own)]:
        if found := _given(call, word):
            return written(found)
    return None


def fed(case: Case, place: Location) -> str | None:
    """The first value of a feed (`{x: rows}`, `feed_dict=feed`) as the source writes it."""
    for node in nodes_at(case, place):
        if isinstance(node, ast.Dict) and node.values:
            return written(node.values[0])
    return argument(case, place, "run", "feed_dict") or argument(case, place, "eval", "feed_dict")


def target(case: Case, place: Location) -> str | None:
    """The variable that a statement assigns."""
    for node in nodes_at(case, place):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            return written(node.targets[0])
        if isinstance(node, ast.AnnAssign | ast.AugAssign):
            return written(node.target)
    return None


def assignment(case: Case, path: str) -> Location | None:
    """The last statement that assigns a variable or attribute."""
    name = re.sub(r"\[[^\]]*\]", "", path).rpartition(".")[2]
    for file, source in case.recording.sources.items():
        tree = source.tree
        assigned = [
            node
            for node in (ast.walk(tree) if tree else ())
            if isinstance(node, ast.Assign | ast.AnnAssign) and name in _assigned(node)
        ]
        if assigned and tree is not None:
            last = max(assigned, key=lambda node: node.lineno)
            statement = source.statement(last.lineno)
            return Location(
                file=file,
                line=last.lineno,
                end_line=last.end_lineno,
                function=enclosing(tree, last.lineno),
                source=statement.source if statement else None,
            )
    return None


def _assigned(node: ast.Assign | ast.AnnAssign) -> set[str]:
    """The names that an assignment binds; an item of a container binds none."""
    found: set[str] = set()
    targets: list[ast.expr] = list(node.targets) if isinstance(node, ast.Assign) else [node.target]
    while targets:
        one = targets.pop()
        if isinstance(one, ast.Tuple | ast.List):
            targets.extend(one.elts)
        elif isinstance(one, ast.Name | ast.Attribute):
            found.add(one.id if isinstance(one, ast.Name) else one.attr)
    return found


def batch_choice(case: Case, place: Location, rows: int | None, method: str) -> Choice | None:
    """Where a batch of so many rows was chosen: the keyword of the call itself, else the `.batch(…)` of a data set or a
    `batch_size=` of another call with that value."""
    for node in nodes_at(case, place):
        if isinstance(node, ast.Call) and _callee(node) == method:
            if any(keyword.arg == "batch_size" for keyword in node.keywords):
                return Choice(place, "batch_size")
            if method == "fit" and len(node.args) > 2:
                return Choice(place, "batch_size")
    if rows is None:
        return None
    for file, source in case.recording.sources.items():
        tree = source.tree
        if tree is None:
            continue
        known = constants(tree)
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            value = _chosen(call)
            if value is not None and _rows(value, tree, known) == rows:
                statement = source.statement(call.lineno)
                line = statement.line if statement else call.lineno
                text = written(value)
                name = text if isinstance(value, ast.Name | ast.Attribute) else _keyword(call)
                where = Location(
                    file=file,
                    line=line,
                    end_line=statement.end_line if statement else None,
                    function=enclosing(tree, call.lineno),
                    source=statement.source if statement else None,
                )
                return Choice(where, name)
    return None


def keyword_choice(case: Case, word: str, value: int) -> Location | None:
    """The statement that gives a keyword that value, in a call of anything."""
    for file, source in case.recording.sources.items():
        tree = source.tree
        for call in (node for node in (ast.walk(tree) if tree else ()) if isinstance(node, ast.Call)):
            given = next((keyword.value for keyword in call.keywords if keyword.arg == word), None)
            if tree is None or given is None or _rows(given, tree, constants(tree)) != value:
                continue
            statement = source.statement(call.lineno)
            return Location(
                file=file,
                line=statement.line if statement else call.lineno,
                end_line=statement.end_line if statement else None,
                function=enclosing(tree, call.lineno),
                source=statement.source if statement else None,
            )
    return None


def nodes_at(case: Case, place: Location) -> list[ast.AST]:
    """The nodes of the statement at a place, its own body left out."""
    source = case.recording.sources.get(place.file)
    tree = source.tree if source else None
    if tree is None:
        return []
    last = place.end_line or place.line
    return [node for node in ast.walk(tree) if place.line <= getattr(node, "lineno", 0) <= last]


def enclosing(tree: ast.Module, line: int) -> str:
    """The name of the innermost function around a line."""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return max(around, key=lambda node: node.lineno).name if around else "<module>"


def constants(tree: ast.Module) -> dict[str, float]:
    """Names that are assigned exactly once, and to a number."""
    assigned: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for one in node.targets:
                for name, value in _pairs(one, node.value):
                    assigned.setdefault(name, []).append(value)
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


def _number(value: object) -> float | None:
    """A value where it is a real number: a power can be complex, a product overflow to infinity."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None


def _computed(operator: ast.operator, left: float, right: float) -> object:
    if isinstance(operator, ast.Pow | ast.LShift) and (abs(right) > 64 or abs(left) > 1e9):
        return None
    try:
        match operator:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.FloorDiv():
                return left // right
            case ast.Div():
                return left / right
            case ast.Pow():
                return left**right
            case ast.LShift():
                return left << right if isinstance(left, int) and isinstance(right, int) else None
    except (ArithmeticError, ValueError, TypeError):
        return None
    return None


def _chosen(call: ast.Call) -> ast.expr | None:
    """The batch size that a call is given, where it is a call that takes one."""
    for keyword in call.keywords:
        if keyword.arg == "batch_size":
            return keyword.value
    if isinstance(call.func, ast.Attribute) and call.func.attr in _BATCHING and call.args:
        return call.args[0]
    return None


def _keyword(call: ast.Call) -> str:
    return "batch_size" if any(keyword.arg == "batch_size" for keyword in call.keywords) else "batch"


def _rows(value: ast.expr, tree: ast.Module, known: dict[str, float]) -> float | None:
    """What a batch size is; a parameter of a function has the value that its calls or its default give it."""
    number = evaluate(value, known)
    if number is not None or not isinstance(value, ast.Name):
        return number
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        if not function.lineno <= value.lineno <= (function.end_lineno or 0):
            continue
        names = [argument.arg for argument in function.args.args]
        if value.id not in names:
            continue
        at = names.index(value.id)
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if _callee(call) == function.name and (given := _given(call, str(at)) or _given(call, value.id)):
                return evaluate(given, known)
        defaults = dict(zip(reversed(names), reversed(function.args.defaults), strict=False))
        if value.id in defaults:
            return evaluate(defaults[value.id], known)
    return None


def _pairs(where: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(where, ast.Name):
        yield where.id, value
    elif isinstance(where, ast.Tuple) and isinstance(value, ast.Tuple) and len(where.elts) == len(value.elts):
        for left, right in zip(where.elts, value.elts, strict=True):
            yield from _pairs(left, right)


def _given(call: ast.Call, word: str) -> ast.expr | None:
    if word.isdigit():
        return call.args[int(word)] if int(word) < len(call.args) else None
    return next((keyword.value for keyword in call.keywords if keyword.arg == word), None)


def _callee(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_plain(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
