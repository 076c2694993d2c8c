"""Statements and loops of the user's source: from a text alone, or by a line in a tree. Pure."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Mapping

from whydied.source.assignments import stored_names
from whydied.source.location import Location
from whydied.source.text import Source, tree_or_empty
from whydied.source.trees import across, around, dotted_name, last_name, tree_of, walk, written

Loop = ast.For | ast.AsyncFor | ast.While


def assigned_name(place: Location) -> str | None:
    """The name or attribute that a statement assigns to, or binds in a `with`; None where it does neither."""
    statement = parsed_statement(place.source)
    if isinstance(statement, ast.Assign):
        return dotted_name(statement.targets[0])
    if isinstance(statement, ast.AnnAssign | ast.AugAssign):
        return dotted_name(statement.target)
    if isinstance(statement, ast.With):
        bound = [item.optional_vars for item in statement.items if item.optional_vars is not None]
        return dotted_name(bound[0]) if bound else None
    return None


def parsed_statement(source: str | None) -> ast.stmt | None:
    text = textwrap.dedent(source or "").strip()
    # The header of a compound statement comes without its body.
    found = tree_or_empty(text).body or tree_or_empty(f"{text}\n    pass").body
    return found[0] if found else None


def operand_texts(source: str, symbol: str) -> list[str]:
    """The two operands of the only operator of a kind (`+`, `@`) in a statement, as written."""
    nodes = walk(tree_or_empty(source.strip()), ast.BinOp)
    found = [node for node in nodes if ast.unparse(ast.BinOp(ast.Name("a"), node.op, ast.Name("b")))[2:-2] == symbol]
    return [ast.unparse(found[0].left), ast.unparse(found[0].right)] if len(found) == 1 else []


def argument_texts(source: str, function: str, number: int) -> list[str]:
    """The first arguments of the only call of a function in a statement that has so many, as written."""
    calls = [call for call in walk(tree_or_empty(source.strip()), ast.Call) if len(call.args) >= number]
    found = [call for call in calls if last_name(call.func) == function]
    return [ast.unparse(one) for one in found[0].args[:number]] if len(found) == 1 else []


def statement_at(tree: ast.AST, line: int) -> ast.AST | None:
    """The innermost statement at a line, or the expression that it consists of."""
    # Of two that begin on the same line the inner one.
    found = max(reversed(around(tree, line, ast.stmt)), key=lambda node: node.lineno, default=None)
    return found.value or found if isinstance(found, ast.Expr | ast.Return) else found


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


def only_exit_raised(sources: Mapping[str, Source]) -> Location | None:
    """The statement that raises SystemExit, where the user's files have just one."""
    found = [
        Location(
            file=file,
            line=node.lineno,
            end_line=node.end_lineno,
            source=sources[file].text(node.lineno, node.end_lineno or node.lineno).strip(),
        )
        for file, node in across(sources, ast.Raise)
        if _is_exit(node.exc)
    ]
    return found[0] if len(found) == 1 else None


def _is_exit(node: ast.expr | None) -> bool:
    name = node.func if isinstance(node, ast.Call) else node
    return isinstance(name, ast.Name) and name.id == "SystemExit"


def raises_over(sources: Mapping[str, Source], file: str, line: int, subject: re.Pattern[str]) -> bool:
    """Whether a line raises or asserts, and what it says, what it handles or a condition around it is about a
    subject."""
    tree = tree_of(sources, file)
    statements = around(tree, line, (ast.Raise, ast.Assert))
    handled = [node.type for node in around(tree, line, ast.ExceptHandler) if isinstance(node, ast.ExceptHandler)]
    spoken = any(subject.search(written(node)) for node in (*statements, *handled) if node is not None)
    return bool(statements) and (spoken or is_under_test(sources, file, line, subject))


def is_under_test(sources: Mapping[str, Source], file: str, line: int, subject: re.Pattern[str]) -> bool:
    """Whether a line runs under a condition that is about a subject."""
    tree = tree_of(sources, file)
    return any(
        subject.search(written(node.test))
        for node in around(tree, line, ast.stmt)
        if isinstance(node, ast.If | ast.While)
    )
