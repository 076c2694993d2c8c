"""Calls and expressions as the source writes them: which arguments a function was given by the statement that called
it; runs in the user's process, in listed steps.

Invariant: the source is only read. A statement may call the same function several times: then there are several
answers, and what they are worth tells which is meant.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import NamedTuple

from whydied.inside.guest.live_source import source
from whydied.inside.guest.user_frames import Line
from whydied.source.assignments import stored_names
from whydied.source.calls import callee, own_names
from whydied.source.trees import around, nodes_on

_LARGEST_KNOWN = 1000
_OFFERED = (ast.Name, ast.Attribute, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.Compare, ast.List, ast.Call)
_METHODS_OF_CALLS = frozenset({"__call__", "call", "forward", "train_step", "update_step"})


class Call(NamedTuple):
    """A call of a function: its arguments as expressions of the caller's, the names that are its own, and how the
    caller was called itself."""

    arguments: dict[str, ast.expr]
    own: frozenset[str]
    shares_globals: bool
    outer: Call | None


@lru_cache(_LARGEST_KNOWN)
def written(file: str, line: int) -> list[tuple[str, ast.expr]]:
    """The expressions of a statement in which a name occurs, each once."""
    named = {
        ast.unparse(node): node
        for node in reversed(_expressions(file, line))
        if isinstance(node, _OFFERED) and any(isinstance(part, ast.Name) for part in ast.walk(node))
    }
    return list(reversed(named.items()))


def calls_of(caller: Line, callee: Line, outer: Call | None) -> list[Call]:
    """The calls of a statement that may have run a function."""
    function = _function(callee)
    if function is None:
        return []
    own = frozenset(own_names(function) | stored_names(function))
    found = []
    for node in _expressions(caller[0], caller[1]):
        arguments = _bound(node, function) if isinstance(node, ast.Call) else None
        if arguments is not None:
            found.append(Call(arguments, own, caller[0] == callee[0], outer))
    return found


@lru_cache(_LARGEST_KNOWN)
def _expressions(file: str, line: int) -> list[ast.expr]:
    parsed = source(file)
    if parsed is None:
        return []
    last = parsed.span(line)[1]
    return [
        node
        for node in nodes_on(parsed, line)
        if isinstance(node, ast.expr)
        and (node.end_lineno or node.lineno) <= last
        and not isinstance(getattr(node, "ctx", None), ast.Store)
    ]


@lru_cache(_LARGEST_KNOWN)
def _function(line: Line) -> ast.FunctionDef | None:
    """The innermost function of that name around a line."""
    parsed = source(line[0])
    found = around(parsed.tree, line[1], ast.FunctionDef) if parsed is not None else []
    return next((node for node in reversed(found) if node.name == line[2]), None)


def _bound(call: ast.Call, function: ast.FunctionDef) -> dict[str, ast.expr] | None:
    """The arguments of a call by the names of a function's parameters; None where it can be no call of it."""
    words = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    given: list[ast.expr] = list(call.args)
    called = callee(call)
    if any(isinstance(argument, ast.Starred) for argument in given):
        return None
    if words[:1] == ["self"]:
        if called == function.name and isinstance(call.func, ast.Attribute):
            given.insert(0, call.func.value)
        elif function.name in _METHODS_OF_CALLS:
            given.insert(0, call.func)
        else:
            return None
    elif called != function.name:
        return None
    if len(given) > len(words):
        return None
    bound = dict(zip(words, given, strict=False))
    bound.update({word.arg: word.value for word in call.keywords if word.arg is not None})
    return bound
