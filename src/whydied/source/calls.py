"""Calls in the user's source: what is called where, and with which arguments. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.location import Location
from whydied.source.statements import dotted_name, parsed_statement
from whydied.source.text import Source
from whydied.source.trees import nodes_at, written

_MODULES = {"tf", "np", "numpy", "tensorflow", "keras", "math", "time", "os"}
REGISTERING = frozenset({"py_function", "numpy_function", "py_func", "from_generator"})
"""Functions of TensorFlow that keep the Python function that they are given."""


def argument(sources: Mapping[str, Source], place: Location, function: str, word: str) -> str | None:
    """An argument of a call in a statement as the source writes it: `word` is a position or a keyword. Of several calls
    the one of that name is taken, else the innermost of an object of the program's own."""
    calls = [node for node in nodes_at(sources, place) if isinstance(node, ast.Call)]
    named = [call for call in calls if callee(call) == function]
    own = [call for call in calls if _root(call.func) not in _MODULES and call.args and _is_plain(call.args[0])]
    for call in [*named, *reversed(own)]:
        if found := passed_argument(call, word):
            return written(found)
    return None


def fed_value(sources: Mapping[str, Source], place: Location) -> str | None:
    """The first value of a feed (`{x: rows}`, `feed_dict=feed`) as the source writes it."""
    for node in nodes_at(sources, place):
        if isinstance(node, ast.Dict) and node.values:
            return written(node.values[0])
    return argument(sources, place, "run", "feed_dict") or argument(sources, place, "eval", "feed_dict")


def called_names(place: Location) -> list[str]:
    """What a statement calls, as written: `tf.py_function`, `model.fit`; outermost first."""
    statement = parsed_statement(place)
    if statement is None:
        return []
    return [
        name
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and (name := dotted_name(node.func)) is not None
    ]


def argument_of(place: Location, functions: frozenset[str]) -> str | None:
    """The first argument that a statement gives to one of these functions, where it is a name or an attribute."""
    statement = parsed_statement(place)
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Call) and node.args and (dotted_name(node.func) or "").rpartition(".")[2] in functions:
            return dotted_name(node.args[0])
    return None


class CallPlace(NamedTuple):
    file: str
    line: int
    function: str


def calls_of(sources: Mapping[str, Source], names: frozenset[str]) -> list[CallPlace]:
    """Where the user's files call functions with these last names, and inside which function of theirs."""
    found: list[CallPlace] = []
    for file, source in sources.items():
        _collect(source.tree, file, "<module>", names, found)
    return found


def registering_near(sources: Mapping[str, Source], place: Location) -> CallPlace | None:
    """Where a Python function is given to TensorFlow, which keeps it with all that it closes over: in the function that
    a place is in (outside of functions, in the same loop), or in one that its statement calls."""
    called = {name.rpartition(".")[2] for name in called_names(place)}
    for call in calls_of(sources, REGISTERING):
        beside = (call.file, call.function) == (place.file, place.function)
        if beside and place.function == "<module>":
            beside = _in_one_loop(sources[call.file], call.line, place.line)
        if beside or call.function in called:
            return call
    return None


def _in_one_loop(source: Source, *lines: int) -> bool:
    loops = [node for node in ast.walk(source.tree) if isinstance(node, ast.For | ast.While)]
    return any(all(loop.lineno <= line <= (loop.end_lineno or 0) for line in lines) for loop in loops)


def _collect(node: ast.AST, file: str, function: str, names: frozenset[str], found: list[CallPlace]) -> None:
    for child in ast.iter_child_nodes(node):
        inner = child.name if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else function
        if isinstance(child, ast.Call) and (dotted_name(child.func) or "").rpartition(".")[2] in names:
            found.append(CallPlace(file, child.lineno, function))
        _collect(child, file, inner, names, found)


def callee(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def passed_argument(call: ast.Call, word: str) -> ast.expr | None:
    if word.isdigit():
        return call.args[int(word)] if int(word) < len(call.args) else None
    return next((keyword.value for keyword in call.keywords if keyword.arg == word), None)


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_plain(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
