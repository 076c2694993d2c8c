"""The program from its failing expression on, as if that had given a value: the rest of the statement, the statements
behind it, and the lines that called the function; runs in a copy of the user's process.

A form of an expression that gives a value need not be the one that was meant. One with which the next statements fail
is not.

Invariant: only what computes is run (`own_code`), and at most `MOST_STATEMENTS`; the first statement that does more is
the end. Nothing is run twice.
"""

from __future__ import annotations

import ast
from types import FrameType
from typing import Any, NamedTuple

from whydied.inside.errors import operands
from whydied.inside.errors.stack_steps import Step
from whydied.inside.trials.own_code import OwnCode
from whydied.inside.trials.replaced import Replaced, code_of
from whydied.source.text import Source
from whydied.source.trees import around, function_at

MOST_STATEMENTS = 12
_VALUE = "_whydied_value"
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)
_SCOPES = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.Try, ast.With, ast.AsyncWith)


class Place(NamedTuple):
    """An expression of the user's at which a frame is; `above` is the user's own call of that function."""

    node: ast.AST
    frame: FrameType
    source: Source
    file: str
    line: int
    function: str
    above: Place | None = None

    @property
    def statement(self) -> ast.stmt | None:
        return max(reversed(around(self.source.tree, self.line, ast.stmt)), key=lambda one: one.lineno, default=None)

    @property
    def scope(self) -> ast.AST:
        """The function, or the module."""
        if self.frame.f_code.co_name == "<module>":
            return self.source.tree
        return function_at(self.source.tree, self.line) or self.source.tree

    def names(self) -> dict[str, Any]:
        return {**self.frame.f_globals, **self.frame.f_locals}


class Block(NamedTuple):
    """Statements that follow one another, and which of them is meant."""

    owner: ast.AST
    statements: list[ast.stmt]
    at: int


class _Returned(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Enough(Exception):
    """What follows does more than compute, or is not known."""


def place_of(steps: list[Step]) -> Place | None:
    """The innermost of steps, the user's, with the lines above it that called it without a library between them."""
    found: Place | None = None
    for step in steps:
        if step.file is None or step.trace is None or step.is_generated:
            found = None
            continue
        failure = operands.failing(step.trace, step.file)
        if failure is None:
            found = None
            continue
        above = found if found is not None and isinstance(found.node, ast.Call) else None
        found = Place(failure.node, step.frame, failure.source, step.file, step.line, step.function, above)
    return found


def blocks_to(scope: ast.AST, statement: ast.stmt) -> list[Block]:
    """The blocks around a statement, the outermost first; none where it is not in the scope."""
    for statements in _blocks(scope):
        for at, one in enumerate(statements):
            if one is statement:
                return [Block(scope, statements, at)]
            inner = blocks_to(one, statement) if not isinstance(one, ast.FunctionDef | ast.ClassDef) else []
            if inner:
                return [Block(scope, statements, at), *inner]
    return []


def _blocks(node: ast.AST) -> list[list[ast.stmt]]:
    found = [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]
    found += [one.body for one in getattr(node, "handlers", [])]
    return [one for one in found if isinstance(one, list) and one and isinstance(one[0], ast.stmt)]


def run_on(place: Place, value: Any, names: dict[str, Any], own: OwnCode) -> None:
    """Raises what the statements raise that follow when the expression of a place has this value; what they raise
    because they run in a copy says nothing."""
    left = [MOST_STATEMENTS]
    current: Place | None = place
    while current is not None:
        try:
            _rest(current, value, names, own, left)
        except _Returned as returned:
            if current.function == "__init__" or current.above is None:
                return
            value, current = returned.value, current.above
            names = current.names()
        except (_Enough, NameError, OSError, MemoryError, NotImplementedError):
            return


def _rest(place: Place, value: Any, names: dict[str, Any], own: OwnCode, left: list[int]) -> None:
    statement, node = place.statement, place.node
    if statement is None or not isinstance(statement, _SIMPLE) or not isinstance(node, ast.expr):
        raise _Enough
    inner = [one for one in ast.walk(statement) if isinstance(one, _SCOPES)]
    if any(one is node for scope in inner for one in ast.walk(scope)):
        raise _Enough
    path = blocks_to(place.scope, statement)
    if not path:
        raise _Enough
    names[_VALUE] = value
    name = ast.copy_location(ast.Name(_VALUE, ast.Load()), node)
    _run(Replaced(node, name).visit(statement), names, place.source, own, left)
    for block in reversed(path):
        for one in block.statements[block.at + 1 :]:
            _run(one, names, place.source, own, left)
        if isinstance(block.owner, _LOOPS):
            raise _Enough
    if isinstance(place.scope, ast.Module):
        raise _Enough
    raise _Returned(None)


def _run(statement: ast.stmt, names: dict[str, Any], source: Source, own: OwnCode, left: list[int]) -> None:
    left[0] -= 1
    if left[0] < 0:
        raise _Enough
    if isinstance(statement, ast.If):
        taken = statement.body if _evaluated(statement.test, names, source, own) else statement.orelse
        for one in taken:
            _run(one, names, source, own, left)
    elif isinstance(statement, ast.Return):
        raise _Returned(_evaluated(statement.value, names, source, own) if statement.value is not None else None)
    elif isinstance(statement, ast.FunctionDef) and not statement.decorator_list:
        execute(statement, names)
    else:
        if isinstance(statement, ast.FunctionDef) or not own.only_computes(statement, names, source):
            raise _Enough
        if any(isinstance(one, ast.Return | ast.Break | ast.Continue) for one in ast.walk(statement)):
            raise _Enough
        execute(statement, names)


def _evaluated(node: ast.expr, names: dict[str, Any], source: Source, own: OwnCode) -> Any:
    if not own.only_computes(node, names, source):
        raise _Enough
    return eval(compile(code_of(node), "<whydied>", "eval"), names)


def execute(statement: ast.stmt, names: dict[str, Any]) -> None:
    exec(compile(code_of(statement), "<whydied>", "exec"), names)
