"""The statements that data came through, as far as names tell: assignments, loops, parameters and the user's own
functions. Names are not told apart by scope: this only narrows down what other evidence points at. Beside them
what the source calls the data that it trains with. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.assignments import targets
from whydied.source.calls import bound_arguments, callee
from whydied.source.container_parts import item_in, part
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import across, holds, last_name, nodes_at, walk, written

_LITERAL = re.compile(r"^[-+]?(?:nan|inf|infinity)$", re.IGNORECASE)
_CONSTANTS = frozenset({"nan", "NaN", "NAN", "inf", "Inf", "Infinity", "PINF", "NINF"})
_CAREFUL = frozenset({"isnan", "isfinite", "isinf", "nan_to_num", "fillna", "replace"})
_MAPPING = frozenset({"map", "from_generator", "py_function", "numpy_function", "flat_map", "interleave"})
_RISKY_CALLS = frozenset({"log", "log1p", "log2", "log10", "sqrt", "rsqrt", "divide", "truediv", "reciprocal", "pow"})
_DEEPEST = 12


class RiskyLine(NamedTuple):
    """A line that can leave the domain of an operation; `divides` says that this is a division."""

    file: str
    line: int
    divides: bool


class DataWay:
    """Begins at `names`, and goes back to where the data come from."""

    def __init__(self, sources: Mapping[str, Source], names: set[str]) -> None:
        self._sources = sources
        self._functions: set[str] = set()
        self._names = {re.sub(r"[^\w].*", "", name) for name in names} - {"", "self"}
        for _ in range(_DEEPEST):
            before = len(self._names) + len(self._functions)
            self._follow()
            if len(self._names) + len(self._functions) == before:
                break

    def holds(self, file: str, line: int) -> bool:
        return any(where == file and holds(node, line) for where, node in self._statements())

    def nonfinite_literals(self) -> set[tuple[str, int]]:
        """The file and line of each statement that writes a NaN or an infinite value by name."""
        return {
            (file, node.lineno)
            for file, node in self._statements()
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return)
            if node.value is not None and _has_literal(node.value)
        }

    def risky_maps(self) -> list[RiskyLine]:
        """The lines of the functions that data sets map over their elements that can leave their domain."""
        found: dict[tuple[str, int], RiskyLine] = {}
        for file, body in self._mapped():
            for node in walk(body, ast.expr):
                divides = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
                divides = divides and not isinstance(getattr(node, "right", None), ast.Constant)
                if divides or (isinstance(node, ast.Call) and callee(node) in _RISKY_CALLS):
                    found.setdefault((file, node.lineno), RiskyLine(file, node.lineno, divides))
        return list(found.values())

    def _statements(self) -> list[tuple[str, ast.stmt]]:
        """Statements that make a value of one of the names, and those of the functions on the way."""
        found: dict[tuple[str, ast.stmt], None] = {}
        for file, node in across(self._sources, ast.stmt):
            if isinstance(node, ast.FunctionDef) and node.name in self._functions:
                found |= {(file, inner): None for inner in walk(node, ast.stmt)}
            elif _written_to(node) & self._names or (isinstance(node, ast.Expr) and _names(node.value) & self._names):
                found[file, node] = None
        return list(found)

    def _mapped(self) -> list[tuple[str, ast.AST]]:
        """The functions that data sets are given to map."""
        given = [(file, call.args[0]) for file, call in across(self._sources, ast.Call) if _maps(call)]
        found: list[tuple[str, ast.AST]] = [pair for pair in given if isinstance(pair[1], ast.Lambda)]
        names = {(file, last_name(one)) for file, one in given}
        return found + [pair for pair in across(self._sources, ast.FunctionDef) if (pair[0], pair[1].name) in names]

    def _follow(self) -> None:
        for source in self._sources.values():
            defined = {node.name: node for node in walk(source.tree, ast.FunctionDef)}
            for node in ast.walk(source.tree):
                value = getattr(node, "value", None)
                if _written_to(node) & self._names and value is not None:
                    self._take(value, defined)
                elif isinstance(node, ast.For | ast.comprehension) and _names(node.target) & self._names:
                    self._take(node.iter, defined)
                elif isinstance(node, ast.Call) and callee(node) in defined:
                    # A parameter on the way has what the calls give for it.
                    for parameter, given in bound_arguments(node, defined[callee(node)]).items():
                        self._names |= _names(given) if parameter in self._names else set()

    def _take(self, value: ast.AST, defined: Mapping[str, ast.FunctionDef]) -> None:
        self._names |= _names(value)
        called = {callee(call) for call in walk(value, ast.Call)} | _names(value)
        self._functions |= called & set(defined)


def names_passed(sources: Mapping[str, Source], place: Location) -> set[str]:
    """The names in what a statement passes to the functions that it calls."""
    return {
        name
        for node in nodes_at(sources, place)
        if isinstance(node, ast.Call)
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]
        for name in _names(argument)
    }


def _maps(call: ast.Call) -> bool:
    return callee(call) in _MAPPING and bool(call.args)


def _has_literal(value: ast.expr) -> bool:
    """Whether an expression names a NaN or an infinite value, and not in order to look for one or to replace it."""
    calls = walk(value, ast.Call)
    if any(callee(call) in _CAREFUL for call in calls):
        return False
    texts = [call.args[0] for call in calls if callee(call) == "float" and call.args]
    return any(node.attr in _CONSTANTS for node in walk(value, ast.Attribute)) or any(
        isinstance(text, ast.Constant) and isinstance(text.value, str) and _LITERAL.match(text.value.strip())
        for text in texts
    )


def _written_to(node: ast.AST) -> set[str]:
    """What a statement gives a value to: of `x[rows, 2] = …` that is `x`."""
    pending, found = list(targets(node)), set()
    while pending:
        one: ast.expr = pending.pop()
        while isinstance(one, ast.Subscript | ast.Starred):
            one = one.value
        if isinstance(one, ast.Tuple | ast.List):
            pending += one.elts
        found.add(last_name(one))
    return found - {""}


def _names(node: ast.AST) -> set[str]:
    """The names in an expression, and the attributes of `self`."""
    own = {one.attr for one in walk(node, ast.Attribute) if isinstance(one.value, ast.Name) and one.value.id == "self"}
    return own | {one.id for one in walk(node, ast.Name)}


def loss_target(sources: Mapping[str, Source], place: Location) -> str | None:
    """The first argument of the innermost call with two of them: `loss(y, model(x))`."""
    calls = [node for node in nodes_at(sources, place) if isinstance(node, ast.Call) and len(node.args) == 2]
    return written(calls[-1].args[0]) if calls else None


def sliced(sources: Mapping[str, Source], position: int, items: str) -> str | None:
    """What stands in the one `from_tensor_slices` of the program for x (0) or y (1), or an item of that."""
    found = [
        call.args[0] for _, call in across(sources, ast.Call) if call.args and callee(call) == "from_tensor_slices"
    ]
    if len(found) != 1:
        return None
    given = part(found[0], position) if isinstance(found[0], ast.Tuple) else found[0] if position == 0 else None
    return item_in(written(given), items) if given is not None else None
