"""What a statement calls the thing that it makes, and where something is called. Pure."""

from __future__ import annotations

import ast
import textwrap
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.read.source import Source
from whydied.records import Frame

REGISTERING = frozenset({"py_function", "numpy_function", "py_func", "from_generator"})
"""Functions of TensorFlow that keep the Python function that they are given."""


def assigned_name(place: Location) -> str | None:
    """The name or attribute that a statement assigns to, or binds in a `with`; None where it does neither."""
    statement = _statement(place)
    if isinstance(statement, ast.Assign):
        return _written(statement.targets[0])
    if isinstance(statement, ast.AnnAssign | ast.AugAssign):
        return _written(statement.target)
    if isinstance(statement, ast.With):
        bound = [item.optional_vars for item in statement.items if item.optional_vars is not None]
        return _written(bound[0]) if bound else None
    return None


def called_names(place: Location) -> list[str]:
    """What a statement calls, as written: `tf.py_function`, `model.fit`; outermost first."""
    statement = _statement(place)
    if statement is None:
        return []
    return [
        name for node in ast.walk(statement) if isinstance(node, ast.Call) and (name := _written(node.func)) is not None
    ]


def argument_of(place: Location, functions: frozenset[str]) -> str | None:
    """The first argument that a statement gives to one of these functions, where it is a name or an attribute."""
    statement = _statement(place)
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Call) and node.args and (_written(node.func) or "").rpartition(".")[2] in functions:
            return _written(node.args[0])
    return None


class CallPlace(NamedTuple):
    file: str
    line: int
    function: str


def calls_of(sources: dict[str, Source], names: frozenset[str]) -> list[CallPlace]:
    """Where the user's files call functions with these last names, and inside which function of theirs."""
    found: list[CallPlace] = []
    for file, source in sources.items():
        if source.tree is not None:
            _collect(source.tree, file, "<module>", names, found)
    return found


def registering_in(case: Case, place: Location) -> Location | None:
    """Where a Python function is given to TensorFlow, which keeps it with all that it closes over: in the function that
    a place is in (outside of functions, in the same loop), or in one that its statement calls."""
    called = {name.rpartition(".")[2] for name in called_names(place)}
    for call in calls_of(case.recording.sources, REGISTERING):
        beside = (call.file, call.function) == (place.file, place.function)
        if beside and place.function == "<module>":
            beside = _in_one_loop(case.recording.sources[call.file], call.line, place.line)
        if beside or call.function in called:
            return case.locate(Frame(file=call.file, line=call.line, function=call.function))
    return None


def _in_one_loop(source: Source, *lines: int) -> bool:
    loops = [node for node in ast.walk(source.tree or ast.Module([], [])) if isinstance(node, ast.For | ast.While)]
    return any(all(loop.lineno <= line <= (loop.end_lineno or 0) for line in lines) for loop in loops)


def _collect(node: ast.AST, file: str, function: str, names: frozenset[str], found: list[CallPlace]) -> None:
    for child in ast.iter_child_nodes(node):
        inner = child.name if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else function
        if isinstance(child, ast.Call) and (_written(child.func) or "").rpartition(".")[2] in names:
            found.append(CallPlace(file, child.lineno, function))
        _collect(child, file, inner, names, found)


def _written(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = _written(node.value)
        return f"{inner}.{node.attr}" if inner else node.attr
    return None


def _statement(place: Location) -> ast.stmt | None:
    text = textwrap.dedent(place.source or "").strip()
    # The header of a compound statement comes without its body.
    for attempt in (text, f"{text}\n    pass"):
        try:
            body = ast.parse(attempt).body
        except (SyntaxError, ValueError):
            continue
        return body[0] if body else None
    return None
