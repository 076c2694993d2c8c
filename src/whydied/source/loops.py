"""Loops in the user's source: what stands in them, what they assign. Pure."""

from __future__ import annotations

import ast

from whydied.source.assignments import stored_names

Loop = ast.For | ast.AsyncFor | ast.While


def loops_in(tree: ast.AST) -> list[Loop]:
    return [node for node in ast.walk(tree) if isinstance(node, Loop)]


def in_loop_body(tree: ast.AST, line: int) -> bool:
    """Whether a line stands in the body of a loop; its header and its `else` are not run in each round."""
    return any(loop.body[0].lineno <= line <= (loop.body[-1].end_lineno or 0) for loop in loops_in(tree))


def in_one_loop(tree: ast.AST, *lines: int) -> bool:
    """Whether one loop is around all of these lines."""
    return any(all(loop.lineno <= line <= (loop.end_lineno or 0) for line in lines) for loop in loops_in(tree))


def method_in_loop(tree: ast.AST, line: int, method: str) -> int | None:
    """The line that calls a method in the loop that begins at a line."""
    for loop in loops_in(tree):
        for node in ast.walk(loop) if loop.lineno == line else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method:
                return node.lineno
    return None


def changing_names(tree: ast.AST) -> set[str]:
    """The variables that stand for something else in each round of a loop."""
    return {name for loop in loops_in(tree) for name in stored_names(loop)}
