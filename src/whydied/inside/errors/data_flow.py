"""The values that flow into the line that failed, each with its name in the source; runs in the user's process,
after an exception.

Invariant: nothing is called. Names are followed backwards through the assignments of the source, from a
function to its caller, into the arrays that a function of the user's reads, and into the attributes of its objects.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType, MethodType, TracebackType
from typing import Any, NamedTuple

from whydied.inside.guest import live_source, lookup
from whydied.inside.guest.lookup import Missing
from whydied.inside.guest.ownership import Ownership
from whydied.source.assignments import assigned, reads
from whydied.source.trees import nodes_on, scope_at

LARGEST_ROUNDS = 8
LARGEST_VALUES = 400
_LIBRARIES = frozenset({"numpy", "tensorflow", "keras", "tf_keras", "pandas", "sklearn", "builtins"})


class Flowing(NamedTuple):
    """`distance` is 0 for what stands in the failing statement itself, and grows with each assignment between. `word`
    is the keyword or the position under which the statement passes it on."""

    name: str
    value: Any
    distance: int
    word: str = ""


def flowing(trace: TracebackType | None, ownership: Ownership) -> list[Flowing]:
    """What flows into the failing statement of each frame of the user's, the innermost frame first."""
    found: list[Flowing] = []
    seen: set[int] = set()
    for depth, step in enumerate(reversed(_users(trace, ownership))):
        for one in _of_frame(step, ownership):
            if id(one.value) not in seen and len(found) < LARGEST_VALUES:
                seen.add(id(one.value))
                found.append(one._replace(distance=one.distance + depth))
    return found


def _users(trace: TracebackType | None, ownership: Ownership) -> list[TracebackType]:
    steps: list[TracebackType] = []
    while trace is not None and len(steps) < 1000:
        if ownership.user_file(trace.tb_frame) is not None:
            steps.append(trace)
        trace = trace.tb_next
    return steps


def _of_frame(step: TracebackType, ownership: Ownership) -> Iterator[Flowing]:
    frame = step.tb_frame
    parsed = live_source.source(ownership.user_file(frame) or "")
    if parsed is None:
        return
    line = step.tb_lineno or 0
    at = nodes_on(parsed, line)
    scopes = {id(scope): scope for scope in (scope_at(parsed.tree, parsed.span(line)[0]), parsed.tree)}.values()
    pending: list[ast.AST] = [*reads(at)]
    known: set[str] = set()
    words = _words(at)
    for distance in range(LARGEST_ROUNDS):
        following: list[ast.AST] = []
        for node in pending:
            text = ast.unparse(node)
            if text in known:
                continue
            known.add(text)
            value = lookup.evaluate(node, frame)
            if not isinstance(value, Missing):
                yield from _opened(Flowing(text, value, distance, words.get(text, "")))
            name = node.id if isinstance(node, ast.Name) else text
            for made in (made for scope in scopes for made in assigned(name, scope)):
                following += reads(ast.walk(made.value))
        pending = following
        if not pending:
            return


def _words(nodes: list[ast.AST]) -> dict[str, str]:
    """By the text of an argument: its keyword or position."""
    found: dict[str, str] = {}
    for call in (node for node in nodes if isinstance(node, ast.Call)):
        for word, argument in [
            *((str(at), argument) for at, argument in enumerate(call.args)),
            *((keyword.arg or "", keyword.value) for keyword in call.keywords),
        ]:
            for node in reads(ast.walk(argument)):
                found.setdefault(ast.unparse(node), word)
    return found


def _opened(one: Flowing) -> Iterator[Flowing]:
    """A value; of a container, an object or a function of the user's, what it holds or reads as well."""
    yield one
    value = one.value
    if type(value) is dict:
        for key, part in list(value.items())[:50]:
            if isinstance(key, (str, int)):
                yield one._replace(name=f"{one.name}[{key!r}]", value=part)
    elif type(value) in (list, tuple) and len(value) <= 50:
        for at, part in enumerate(value):
            yield one._replace(name=f"{one.name}[{at}]", value=part)
    elif isinstance(value, (FunctionType, MethodType)):
        yield from _read_by(value, one)
    elif not isinstance(value, type) and _library(value) not in _LIBRARIES:
        for name, part in list(lookup.instance_dict(value).items())[:50]:
            yield one._replace(name=f"{one.name}.{name}", value=part)


def _read_by(function: FunctionType | MethodType, one: Flowing) -> Iterator[Flowing]:
    """What a function reads from its module and from the functions around it."""
    if isinstance(function, MethodType):
        owner = one.name.rpartition(".")[0] or "self"
        for name, part in list(lookup.instance_dict(function.__self__).items())[:50]:
            yield Flowing(f"{owner}.{name}", part, one.distance + 1)
        return
    if _library(function) in _LIBRARIES:
        return
    code = function.__code__
    for name in code.co_names:
        if name in function.__globals__:
            yield Flowing(name, function.__globals__[name], one.distance + 1)
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield Flowing(name, cell.cell_contents, one.distance + 1)
        except ValueError:
            continue


def _library(value: Any) -> str:
    """The package that a value's type, or a function, belongs to."""
    if isinstance(value, FunctionType):
        module = value.__globals__.get("__name__")
    else:
        module = type.__getattribute__(type(value), "__module__")
    return module.partition(".")[0] if isinstance(module, str) else ""
