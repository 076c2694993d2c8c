"""What a library wanted before it raised, and the place of the program that gave it something else. Pure.

A place counts only where it is the only one: the argument of the failing call, the argument of the only call that makes
such an object, the only text in the source that is the refused one.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from typing import NamedTuple

from whydied.diagnose.case import Case, root_of
from whydied.diagnose.errors.usage import call_of
from whydied.records import ApiCalled, CallRefused, Demanded
from whydied.source.calls import callee
from whydied.source.text import Source
from whydied.source.trees import across, holds, nodes_on, walk, written


class Given(NamedTuple):
    """An argument as the program writes it, with the call that it is given to."""

    file: str
    call: ast.Call
    node: ast.expr


class Made(NamedTuple):
    """A call that makes an object; `name` is what the object is called then, "" where it has no name."""

    file: str
    call: ast.Call
    name: str


def refusal(case: Case) -> CallRefused | None:
    """What was wanted where the exception at the root was raised."""
    if case.principal is None or case.uncaught is None:
        return None
    root = root_of(case.uncaught.chain)
    found = [one for one in case.principal.all(CallRefused) if one.link == root]
    return found[-1] if found else None


def given_for(case: Case, demand: Demanded) -> Given | None:
    """The expression that the program gave for what was refused."""
    if demand.parameter:
        return _argument(case, demand)
    if demand.given_as:
        found = [
            Given(made.file, made.call, node)
            for made in makers(case, {demand.holder})
            if (node := passed(made.call, demand.given_as, demand.position)) is not None
        ]
        return found[0] if len(found) == 1 else None
    return None


def _argument(case: Case, demand: Demanded) -> Given | None:
    called = call_of(case)
    call = failing_call(case, called) if called is not None else None
    if called is None:
        return _of_layer(case, demand)
    if called.frame is None or call is None:
        return None
    argument = next((one for one in called.arguments if one.parameter == demand.parameter), None)
    node = passed(call, demand.parameter, argument.position if argument is not None else None)
    if node is None:
        return None
    return Given(called.frame.file, call, _part(node, demand))


def _part(node: ast.expr, demand: Demanded) -> ast.expr:
    if demand.part and isinstance(node, ast.List | ast.Tuple) and demand.part[1:-1].isdigit():
        at = int(demand.part[1:-1])
        return node.elts[at] if at < len(node.elts) else node
    return node


def _of_layer(case: Case, demand: Demanded) -> Given | None:
    """What a layer is called with on the line that makes it: `Concatenate()([a, b])` has no name of its own."""
    refused = refusal(case)
    frame = refused.frame if refused is not None else None
    source = case.sources.get(frame.file) if frame is not None else None
    nodes = nodes_on(source, frame.line) if source is not None and frame is not None else []
    calls = [
        one for one in nodes if isinstance(one, ast.Call) and isinstance(one.func, ast.Call) and len(one.args) == 1
    ]
    made = [
        one
        for one in calls
        if isinstance(one.func, ast.Call)
        and refused is not None
        and callee(one.func) in {each.holder for each in refused.demands}
    ]
    if len(made) != 1 or frame is None:
        return None
    return Given(frame.file, made[0], _part(made[0].args[0], demand))


def failing_call(case: Case, called: ApiCalled) -> ast.Call | None:
    """The call of the program that an exception came out of."""
    frame = called.frame
    if frame is None or frame.file not in case.sources:
        return None
    # The line is that of the statement, which the call may begin after.
    source = case.sources[frame.file]
    first, last = source.span(frame.line)
    near = [one for one in walk(source.tree, ast.Call) if holds(one, frame.line) or first <= one.lineno <= last]
    found = [one for one in near if written(one)[:300] == called.call]
    return found[0] if len(found) == 1 else None


def passed(call: ast.Call, name: str, position: int | None) -> ast.expr | None:
    """The argument of a call by its name, else by its position."""
    word = next((one.value for one in call.keywords if one.arg == name), None)
    if word is not None or position is None or any(isinstance(one, ast.Starred) for one in call.args):
        return word
    return call.args[position] if position < len(call.args) else None


def makers(case: Case, names: Collection[str]) -> list[Made]:
    """The calls of the program that make objects of classes with these names."""
    return [
        Made(file, call, _named(case.project[file].tree, call))
        for file, call in across(case.project, ast.Call)
        if callee(call) in names
    ]


def _named(tree: ast.AST, call: ast.Call) -> str:
    for node in walk(tree, (ast.Assign, ast.AnnAssign, ast.withitem)):
        if isinstance(node, ast.Assign) and node.value is call:
            return written(node.targets[0])
        if isinstance(node, ast.AnnAssign) and node.value is call:
            return written(node.target)
        if isinstance(node, ast.withitem) and node.context_expr is call and node.optional_vars is not None:
            return written(node.optional_vars)
    return ""


def maker_of(case: Case, names: Collection[str], receiver: str) -> Made | None:
    """The call that made what a method was called on: the only one, or the only one of that name."""
    found = makers(case, names)
    named = [one for one in found if one.name == receiver]
    return found[0] if len(found) == 1 else named[0] if len(named) == 1 else None


def texts(sources: Mapping[str, Source], value: str) -> list[tuple[str, ast.Constant]]:
    """The texts of the program that are a value, documentation left out."""
    spoken = {id(node.value) for _, node in across(sources, ast.Expr)}
    return [
        (file, node)
        for file, node in across(sources, ast.Constant)
        if node.value == value and isinstance(node.value, str) and id(node) not in spoken
    ]
