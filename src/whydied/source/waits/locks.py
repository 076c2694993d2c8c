"""Statements of the user's source that take and hold locks. Pure; runs in the user's process when the program makes no
progress, and after death."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whydied.source.calls import method_calls
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import nodes_at, scope_at, written


class LockExpression(NamedTuple):
    """`how` is "holds" or "waits"; `sure` is False for a lock that was taken by `acquire` on an earlier line."""

    how: str
    lock: ast.expr
    line: int
    sure: bool = True


def locks_at(tree: ast.Module, line: int, *, innermost: bool) -> Iterator[LockExpression]:
    """The locks of a function that stands at a line; what it waits for only where it is the innermost one."""
    function = scope_at(tree, line)
    for node in ast.walk(function):
        if isinstance(node, ast.With):
            inside = node.body[0].lineno <= line <= (node.end_lineno or 0)
            at_head = node.lineno <= line < node.body[0].lineno
            if inside or (at_head and innermost):
                for item in node.items:
                    yield LockExpression("holds" if inside else "waits", item.context_expr, item.context_expr.lineno)
        for lock, call in method_calls([node], ("acquire",)):
            if call.lineno <= line <= (call.end_lineno or 0) and innermost:
                yield LockExpression("waits", lock, lock.lineno)
            elif call.lineno < line and not _released(function, lock, call.lineno, line):
                yield LockExpression("holds", lock, call.lineno, sure=False)


def _released(function: ast.AST, lock: ast.expr, taken: int, line: int) -> bool:
    """Whether a lock is given back between the line that took it and where the thread stands."""
    return any(
        taken <= call.lineno < line and ast.dump(one) == ast.dump(lock)
        for one, call in method_calls(ast.walk(function), ("release",))
    )


def entered(sources: Mapping[str, Source], place: Location) -> str | None:
    """What the `with` statement at a place enters first, as the source writes it."""
    blocks = [node for node in nodes_at(sources, place) if isinstance(node, ast.With)]
    return written(blocks[0].items[0].context_expr) if blocks else None
