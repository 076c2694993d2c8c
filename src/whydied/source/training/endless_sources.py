"""Data that never end: a generator whose loop has no way out, a data set that is repeated for ever. Pure.

Invariant: the way from the call to the data is followed by names, the user's own functions and chains of methods; what
cuts the data off on that way (`take`, `islice`) ends the search.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whydied.source.assignments import assigned
from whydied.source.calls import callee, passed_argument
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import Function, across, last_name, nodes_at, scope_at, within, written

_DEEPEST = 8
_CUTS = frozenset({"take", "islice", "take_while", "takewhile"})
_CYCLES = frozenset({"cycle", "count"})


class Endless(NamedTuple):
    """`data` is what the call was given, as written; `what` says why it does not end, at the line of `file`."""

    data: str
    what: str
    file: str
    line: int


def endless_argument(
    sources: Mapping[str, Source], place: Location, method: str, argument: str = "x"
) -> Endless | None:
    """What a call of `fit`, `evaluate` or `predict` at a place was given for an argument, where that never ends."""
    for call in nodes_at(sources, place):
        if isinstance(call, ast.Call) and callee(call) == method:
            given = passed_argument(call, argument) or (passed_argument(call, "0") if argument == "x" else None)
            found = _endless(sources, place.file, given, _DEEPEST) if given is not None else None
            if given is not None and found is not None:
                return Endless(written(given), *found)
    return None


def _endless(sources: Mapping[str, Source], file: str, node: ast.expr, depth: int) -> tuple[str, str, int] | None:
    if not depth:
        return None
    if isinstance(node, ast.Name):
        scope = scope_at(sources[file].tree, node.lineno)
        values = assigned(node.id, scope) or assigned(node.id, sources[file].tree)
        return _endless(sources, file, values[-1].value, depth - 1) if values else None
    if not isinstance(node, ast.Call):
        return None
    name = callee(node)
    if name in _CUTS:
        return None
    if name == "repeat" and isinstance(node.func, ast.Attribute) and _for_ever(node):
        return "`repeat()` begins again for ever", file, node.lineno
    if name == "from_generator":
        made = passed_argument(node, "0") or passed_argument(node, "generator")
        return _of_function(sources, last_name(made), depth) if made is not None else None
    own = _of_function(sources, name, depth)
    if own is not None:
        return own
    return _endless(sources, file, node.func.value, depth - 1) if isinstance(node.func, ast.Attribute) else None


def _for_ever(call: ast.Call) -> bool:
    count = passed_argument(call, "0") or passed_argument(call, "count")
    return count is None or written(count) in ("None", "-1")


def _of_function(sources: Mapping[str, Source], name: str, depth: int) -> tuple[str, str, int] | None:
    """The same of the only function of the program with a name: of what it yields, or of what it returns."""
    found = [(file, one) for file, one in across(sources, ast.FunctionDef) if one.name == name]
    if not name or len(found) != 1:
        return None
    file, function = found[0]
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in within(function)):
        line = _loop_without_end(function)
        return (f"`{name}` yields in a loop that has no end", file, line) if line is not None else None
    returned = [node.value for node in within(function) if isinstance(node, ast.Return) and node.value is not None]
    return _endless(sources, file, returned[0], depth - 1) if len(returned) == 1 else None


def _loop_without_end(function: Function) -> int | None:
    for loop in within(function):
        for_ever = (isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant) and bool(loop.test.value)) or (
            isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and callee(loop.iter) in _CYCLES
        )
        if for_ever and isinstance(loop, ast.While | ast.For):
            inside = list(within(loop))
            yields = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in inside)
            if (
                yields
                and not any(isinstance(node, ast.Return | ast.Raise) for node in inside)
                and not any(_breaks(loop))
            ):
                return loop.lineno
    return None


def _breaks(loop: ast.While | ast.For) -> Iterator[ast.Break]:
    """What leaves this loop: a `break` of a loop in it does not."""
    pending: list[ast.AST] = list(loop.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Break):
            yield node
        if not isinstance(node, ast.For | ast.While | ast.AsyncFor | ast.FunctionDef | ast.Lambda):
            pending += ast.iter_child_nodes(node)
