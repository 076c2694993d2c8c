"""Loops that only sleep until a condition of the program's own objects holds. Pure.

A condition that reads a clock, a file, a flag or anything that calls other code is none of these: a signal, another
program or time itself may end such a wait. Only the sizes of queues and collections and the ends of threads and tasks
count, which nothing but the program's own threads changes.
"""

from __future__ import annotations

import ast

from whydied.source.calls import callee
from whydied.source.trees import around

_ASKING = ("qsize", "empty", "full", "is_alive", "done")
_PARTS = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.BinOp)
_SIGNS = (ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.expr_context)


def polled_loop(tree: ast.AST, line: int) -> ast.While | None:
    """The innermost loop around a line, where it does nothing but sleep until such a condition holds."""
    loops = around(tree, line, ast.While)
    loop = loops[-1] if loops else None
    if loop is None or loop.orelse or not all(_sleeps(one) for one in loop.body):
        return None
    nodes = list(ast.walk(loop.test))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    own = all(isinstance(node, (*_PARTS, *_SIGNS)) for node in nodes) and all(_asks(call) for call in calls)
    return loop if own and calls else None


def sides(test: ast.expr) -> list[ast.expr]:
    """What a condition is made of: what it asks for, and what it compares that with."""
    if isinstance(test, ast.BoolOp):
        return [one for value in test.values for one in sides(value)]
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return sides(test.operand)
    if isinstance(test, ast.Compare):
        return [one for one in (test.left, *test.comparators) if not isinstance(one, ast.Constant)]
    return [test]


def _sleeps(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(statement, ast.Pass) or (isinstance(call, ast.Call) and callee(call) == "sleep")


def _asks(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Name):
        return call.func.id == "len" and len(call.args) == 1
    return callee(call) in _ASKING and not call.args and not call.keywords
