"""The statements that data came through, as far as names tell: assignments, loops, parameters and the user's own
functions. Names are not told apart by scope: this only narrows down what other evidence points at. Beside them
what the source calls the data that it trains with. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from whydied.source.assignments import targets
from whydied.source.calls import bound_arguments, callee, passed_argument
from whydied.source.container_parts import item_in, part
from whydied.source.location import Location
from whydied.source.numbers import constants, evaluate
from whydied.source.text import Source
from whydied.source.trees import across, holds, last_name, nodes_at, walk, written

_LITERAL = re.compile(r"^[-+]?(?:nan|inf|infinity)$", re.IGNORECASE)
_CONSTANTS = frozenset({"nan", "NaN", "NAN", "inf", "Inf", "Infinity", "PINF", "NINF"})
_LEAVES_GAPS = frozenset({"shift", "pct_change", "rolling", "reindex"})
"""Methods of a table that leave NaN in rows for which there is no value."""
_CAREFUL = frozenset({"dropna", "interpolate", "isnan", "isfinite", "isinf", "nan_to_num", "fillna", "replace"})
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
        self._classes: set[str] = set()
        self._names = {re.sub(r"[^\w].*", "", name) for name in names} - {"", "self"}
        for _ in range(_DEEPEST):
            before = self._found()
            self._follow()
            if self._found() == before:
                break

    def _found(self) -> int:
        return len(self._names) + len(self._functions) + len(self._classes)

    def holds(self, file: str, line: int) -> bool:
        return any(where == file and holds(node, line) for where, node in self._statements())

    def nonfinite_literals(self) -> set[tuple[str, int]]:
        """The file and line of each statement that writes a NaN or an infinite value by name, or asks for NaN where
        there is no value."""
        return {
            (file, node.lineno)
            for file, node in self._statements()
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return)
            if node.value is not None and _has_literal(node.value)
        }

    def risky_lines(self) -> list[RiskyLine]:
        """The lines on the way that can leave the domain of an operation."""
        simple = [pair for pair in self._statements() if not hasattr(pair[1], "body")]
        return _risky(self._sources, simple)

    def risky_maps(self) -> list[RiskyLine]:
        """The lines of the functions that data sets map over their elements that can leave their domain."""
        return _risky(self._sources, self._mapped())

    def _statements(self) -> list[tuple[str, ast.stmt]]:
        """Statements that make a value of one of the names, and those of the functions on the way."""
        found: dict[tuple[str, ast.stmt], None] = {}
        for file, node in across(self._sources, ast.stmt):
            named = isinstance(node, ast.FunctionDef) and node.name in self._functions
            if named or (isinstance(node, ast.ClassDef) and node.name in self._classes):
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
                if isinstance(node, ast.ClassDef) and node.name in self._names:
                    # Objects that make the data when they are asked for it, such as a sequence of batches.
                    self._classes.add(node.name)
                    self._functions |= {callee(call) for call in walk(node, ast.Call)} & set(defined)
                elif isinstance(node, ast.FunctionDef) and node.name in self._functions:
                    for one in walk(node, ast.Return):
                        self._functions |= _called(one, defined)
                elif _written_to(node) & self._names and value is not None:
                    self._take(value, defined)
                elif isinstance(node, ast.For | ast.comprehension) and _names(node.target) & self._names:
                    self._take(node.iter, defined)
                elif isinstance(node, ast.Call) and callee(node) in defined:
                    # A parameter on the way has what the calls give for it.
                    for parameter, given in bound_arguments(node, defined[callee(node)]).items():
                        self._names |= _names(given) if parameter in self._names else set()

    def _take(self, value: ast.AST, defined: Mapping[str, ast.FunctionDef]) -> None:
        self._names |= _names(value)
        self._functions |= _called(value, defined)


def _called(value: ast.AST, defined: Mapping[str, ast.FunctionDef]) -> set[str]:
    """The program's own functions that an expression calls, or hands to something that calls them."""
    return ({callee(call) for call in walk(value, ast.Call)} | _names(value)) & set(defined)


def _risky(sources: Mapping[str, Source], parts: Iterable[tuple[str, ast.AST]]) -> list[RiskyLine]:
    found: dict[tuple[str, int], RiskyLine] = {}
    for file, body in parts:
        known = constants(sources[file].tree)
        for node in walk(body, ast.expr):
            divides = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and not evaluate(node.right, known)
            if divides or (isinstance(node, ast.Call) and callee(node) in _RISKY_CALLS):
                found.setdefault((file, node.lineno), RiskyLine(file, node.lineno, divides))
    return list(found.values())


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
    if any(callee(call) in _LEAVES_GAPS or _is_coerced(call) or leaves_unmatched(call) for call in calls):
        return True
    texts = [call.args[0] for call in calls if callee(call) == "float" and call.args]
    return any(node.attr in _CONSTANTS for node in walk(value, ast.Attribute)) or any(
        isinstance(text, ast.Constant) and isinstance(text.value, str) and _LITERAL.match(text.value.strip())
        for text in texts
    )


def leaves_unmatched(call: ast.Call) -> bool:
    """Whether rows of one table that the other does not have are kept: `a.merge(b, on="id", how="left")`."""
    how = passed_argument(call, "how")
    return (
        callee(call) in ("merge", "join") and isinstance(how, ast.Constant) and how.value in ("left", "right", "outer")
    )


def _is_coerced(call: ast.Call) -> bool:
    """Whether what cannot be read becomes NaN: `pd.to_numeric(column, errors="coerce")`."""
    chosen = passed_argument(call, "errors")
    return isinstance(chosen, ast.Constant) and chosen.value == "coerce"


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
    """The first argument of the outermost call that is given two values: `loss(y, model(x, training=True))`. In
    `model(x, True)` the second is none."""
    for node in nodes_at(sources, place):
        if isinstance(node, ast.Call) and len(node.args) >= 2 and not isinstance(node.args[1], ast.Constant):
            first = node.args[0]
            if isinstance(first, ast.Name | ast.Attribute | ast.Subscript):
                return written(first)
    return None


def sliced(sources: Mapping[str, Source], position: int, items: str) -> str | None:
    """What stands in the one `from_tensor_slices` of the program for x (0) or y (1), or an item of that."""
    found = [
        call.args[0] for _, call in across(sources, ast.Call) if call.args and callee(call) == "from_tensor_slices"
    ]
    if len(found) != 1:
        return None
    given = part(found[0], position) if isinstance(found[0], ast.Tuple) else found[0] if position == 0 else None
    return item_in(written(given), items) if given is not None else None
