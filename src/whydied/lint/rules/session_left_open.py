"""A loop keeps opening sessions, and none is closed.

## What it detects
`tf.Session()` in a loop, or in a function that a loop calls, without a `with` around its use and without a `close()`.

## Why it matters
A session keeps its resources, on a GPU its memory, and the graph until it is closed; the next round opens another.

## When it stays silent
A single session that lives as long as the script; one that is closed, used in a `with`, returned or passed on; any
that is kept where the file closes sessions.

## Fix
`with tf.Session() as sess:` around the statements that use it, or `sess.close()` behind them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.lint.repetition import repeated
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.source.calls import callee
from whydied.source.trees import walk

SAME_FAULT = ("session-never-closed",)


def check(unit: Unit) -> Iterator[Hit]:
    closes = any(
        isinstance(call.func, ast.Attribute) and call.func.attr in ("close", "__exit__") for call in unit.calls
    )
    for call in unit.calls:
        if unit.called(call) not in ("tf.Session", "tf.InteractiveSession"):
            continue
        statement = unit.scopes.statement(call)
        if not repeated(unit, call):
            continue
        if isinstance(statement, ast.Assign) and statement.value is call:
            target = statement.targets[0]
            if isinstance(target, ast.Attribute) and (closes or _is_set_anew(unit, target)):
                continue
            if isinstance(target, ast.Attribute) or (
                isinstance(target, ast.Name) and not _is_released(unit, target, closes)
            ):
                name = unit.written(target)
                yield Hit(
                    statement,
                    f"`{name}` is opened in every round, and nothing closes it",
                    f"Write `with {unit.written(call.func)}(…) as {name}:` around its use, or `{name}.close()`.",
                )
        elif isinstance(unit.scopes.parent(call), ast.Attribute):
            whole = unit.written(call)
            yield Hit(
                call, f"`{whole}` is opened in every round, and nothing closes it", f"Write `with {whole} as sess:`."
            )


def _is_set_anew(unit: Unit, target: ast.Attribute) -> bool:
    """Whether a method gives the attribute another value later, which lets go of the session."""
    owner = unit.scopes.owner(target)
    bound = unit.scopes.attributes.get(owner, {}).get(target.attr, []) if owner is not None else []
    makers = [unit.scopes.function(one.node) for one in bound]
    return len(bound) != 1 and any(one is None or one.name != "__init__" for one in makers)


def _is_released(unit: Unit, target: ast.Name, closes: bool) -> bool:
    """Whether it is closed, or given to somebody else where something closes sessions."""
    scope = unit.scopes.scope(target)
    for name in walk(scope, ast.Name):
        if name.id != target.id or not isinstance(name.ctx, ast.Load):
            continue
        parent = unit.scopes.parent(name)
        if isinstance(parent, ast.Attribute) and parent.attr in ("close", "__exit__"):
            return True
        if isinstance(parent, ast.withitem | ast.Return | ast.Yield):
            return True
        given = isinstance(parent, ast.Tuple | ast.List | ast.Dict | ast.Assign)
        if given or (isinstance(parent, ast.Call) and name in parent.args):
            adds = isinstance(parent, ast.Call) and callee(parent) in ("append", "add")
            if closes or not adds:
                return True
    return any(isinstance(node, ast.Global) and target.id in node.names for node in walk(scope, ast.Global))
