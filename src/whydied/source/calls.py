"""Calls in the user's source: what is called where, and with which arguments. Pure."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from whydied.source.location import Location
from whydied.source.statements import in_one_loop, parsed_statement
from whydied.source.text import Source
from whydied.source.trees import Function, dotted_name, last_name, located, nodes_at, nodes_of, walk, written

_MODULES = {"tf", "np", "numpy", "tensorflow", "keras", "math", "time", "os"}
REGISTERING = frozenset({"py_function", "numpy_function", "py_func", "from_generator"})
"""Functions of TensorFlow that keep the Python function that they are given."""


def callee(call: ast.Call) -> str:
    """`fit` of `model.fit(x)`; "" where what is called has no name."""
    return last_name(call.func)


def passed_argument(call: ast.Call, word: str) -> ast.expr | None:
    """An argument by its position or its keyword."""
    if word.isdigit():
        return call.args[int(word)] if int(word) < len(call.args) else None
    return next((keyword.value for keyword in call.keywords if keyword.arg == word), None)


def method_calls(nodes: Iterable[ast.AST], names: Collection[str]) -> Iterator[tuple[ast.expr, ast.Call]]:
    """The calls of methods with these names, each after the object that it is called on."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
            yield node.func.value, node


def parameters(function: Function | ast.Lambda) -> list[str]:
    """What a call can pass by position: not the object that a method belongs to."""
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def own_names(function: Function | ast.Lambda) -> set[str]:
    """All parameters of a function that have a name."""
    given = function.args
    return {argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def bound_arguments(call: ast.Call, function: Function | ast.Lambda) -> dict[str, ast.expr]:
    """The arguments of a call by the names of a function's parameters. What follows `*values` has none."""
    stars = [at for at, argument in enumerate(call.args) if isinstance(argument, ast.Starred)]
    given = call.args[: stars[0] + 1] if stars else call.args
    named = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    return dict(zip(parameters(function), given, strict=False)) | named


def argument(sources: Mapping[str, Source], place: Location, function: str, word: str) -> str | None:
    """An argument of a call in a statement as the source writes it: `word` is a position or a keyword. Of several calls
    those of that name are asked; where there is none, those of objects of the program's own, the innermost first."""
    calls = [node for node in nodes_at(sources, place) if isinstance(node, ast.Call)]
    named = [call for call in calls if callee(call) == function]
    own = [call for call in calls if _root(call.func) not in _MODULES and call.args and _is_plain(call.args[0])]
    for call in named or reversed(own):
        if found := passed_argument(call, word):
            return written(found)
    return None


def receiver(sources: Mapping[str, Source], place: Location, methods: Collection[str]) -> str | None:
    """What a statement calls one of these methods on, as the source writes it."""
    return next((written(owner) for owner, _ in method_calls(nodes_at(sources, place), methods)), None)


def places_of(sources: Mapping[str, Source], methods: Collection[str]) -> list[Location]:
    """The statements that call one of these methods, by line in each file."""
    return [
        located(sources, file, line)
        for file, source in sources.items()
        for line in sorted(call.lineno for _, call in method_calls(ast.walk(source.tree), methods))
    ]


def called_names(place: Location) -> list[str]:
    """What a statement calls, as written: `tf.py_function`, `model.fit`; outermost first."""
    return [name for call in _calls_of_text(place) if (name := dotted_name(call.func)) is not None]


def argument_of(place: Location, functions: frozenset[str]) -> str | None:
    """The first argument that a statement gives to one of these functions, where it is a name or an attribute."""
    return next(
        (dotted_name(call.args[0]) for call in _calls_of_text(place) if call.args and callee(call) in functions), None
    )


def _calls_of_text(place: Location) -> list[ast.Call]:
    statement = parsed_statement(place.source)
    return walk(statement, ast.Call) if statement is not None else []


class CallPlace(NamedTuple):
    """`name` is what is called, `function` the one that the call stands in."""

    file: str
    line: int
    function: str
    name: str
    is_method: bool


def calls_of(sources: Mapping[str, Source], wanted: Callable[[str], bool]) -> list[CallPlace]:
    """Where the user's files call functions whose last names are wanted, in the order of the source."""
    return [
        CallPlace(file, node.lineno, function, callee(node), isinstance(node.func, ast.Attribute))
        for file, source in sources.items()
        for node, function in nodes_of(source.tree)
        if isinstance(node, ast.Call) and wanted(callee(node))
    ]


def registering_near(sources: Mapping[str, Source], place: Location) -> CallPlace | None:
    """Where a Python function is given to TensorFlow, which keeps it with all that it closes over: in the function that
    a place is in (outside of functions, in the same loop), or in one that its statement calls."""
    called = {name.rpartition(".")[2] for name in called_names(place)}
    for call in calls_of(sources, REGISTERING.__contains__):
        beside = (call.file, call.function) == (place.file, place.function)
        if beside and place.function == "<module>":
            beside = in_one_loop(sources[call.file].tree, call.line, place.line)
        if beside or call.function in called:
            return call
    return None


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_plain(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
