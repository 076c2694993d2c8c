"""One statement of the user's source: from its text alone, or by its line in a tree. Pure."""

from __future__ import annotations

import ast
import textwrap

from whydied.source.location import Location
from whydied.source.text import tree_or_empty
from whydied.source.trees import around, dotted_name, last_name, walk


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
