"""The statements of a function of the program's own that can have given a value: its `return`s, the `yield` that a
generator stands at, a lambda's body, or the way on which it returns nothing; runs in the user's process.

Invariant: nothing of the user's is called. A `return` is left out only where it cannot have given such a value.
"""

from __future__ import annotations

import ast
from types import ModuleType
from typing import Any

from whydied.inside.errors.makers.activations import Activation, Program
from whydied.inside.errors.makers.program_results import Result, yielded
from whydied.inside.errors.makers.ways import Follower, Passed
from whydied.inside.guest import live_source
from whydied.inside.guest.value_facts import type_name
from whydied.source.origins.reaching import reaching
from whydied.source.results import gaps, has_result
from whydied.source.trees import walk, within

_ARITHMETIC = (ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Constant, ast.Name, ast.expr_context)


def run_of(result: Result, program: Program) -> Activation | None:
    """The run of the function, which is over."""
    return program.run_of(result.function, result.receiver) if result.function is not None else None


def expressions(result: Result, program: Program) -> list[ast.expr]:
    """The expressions that can have given the value."""
    if result.generator is not None:
        node = yielded(result)
        return [node] if node is not None else []
    if result.code.co_name == "<lambda>":
        return _body(result)
    run = run_of(result, program)
    if run is None or run.function is None:
        return []
    given = [one.value for one in within(run.function) if isinstance(one, ast.Return) and one.value is not None]
    possible = [one for one in given if _can_give(one, result.value, run, program)]
    root = type(result.value).__module__.partition(".")[0]
    like = [one for one in possible if _speaks_of(one, root, run)] if len(possible) > 1 else []
    return like or possible


def nothing_given(result: Result, program: Program) -> list[Passed]:
    """The ways through the function on which it gives None."""
    run = run_of(result, program)
    if run is None or run.function is None:
        return []
    if not has_result(run.function):
        return [Passed("no-return", run.function.name, run.function, run)]
    return [Passed("gap", run.function.name, run.function, run, one) for one in gaps(run.function)]


def _body(result: Result) -> list[ast.expr]:
    parsed = live_source.source(result.code.co_filename)
    found = [
        one
        for one in (walk(parsed.tree, ast.Lambda) if parsed is not None else ())
        if one.lineno == result.code.co_firstlineno and len(one.args.args) == result.code.co_argcount
    ]
    return [found[0].body] if len(found) == 1 else []


def _can_give(node: ast.expr, value: Any, run: Activation, program: Program) -> bool:
    at = run._replace(line=node.lineno)
    if not isinstance(node, ast.Constant) and _is_number(node, at):
        return type(value) in (int, float)
    kind = type_name(type(value)).rpartition(".")[2]
    return bool(Follower(program, kind, value).ways(node, at))


def _is_number(node: ast.expr, at: Activation) -> bool:
    """Whether an expression is arithmetic of plain numbers only."""
    parts = list(ast.walk(node))
    names = [one for one in parts if isinstance(one, ast.Name)]
    return all(isinstance(one, _ARITHMETIC) for one in parts) and all(
        type(at.value(one)) in (int, float) for one in names
    )


def _speaks_of(node: ast.expr, root: str, run: Activation) -> bool:
    """Whether an expression, or what its variables were last given, uses the library that the value's type is of."""
    pending, seen = [(node, node.lineno)], 0
    while pending and seen < 40:
        one, line = pending.pop()
        seen += 1
        for name in walk(one, ast.Name):
            value = run.value(name)
            if isinstance(value, ModuleType) and value.__name__.partition(".")[0] == root:
                return True
            bound = reaching(name.id, run.scope, line).bindings
            pending += [(each.value, each.line) for each in bound if each.value is not None and each.line < line]
    return False
