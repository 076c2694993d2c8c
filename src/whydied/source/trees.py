"""Walking the user's source as trees: nodes, the functions around them, expressions as written. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TypeVar

from whydied.source.location import Location
from whydied.source.text import Source

Function = ast.FunctionDef | ast.AsyncFunctionDef
Node = TypeVar("Node", bound=ast.AST)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def written(node: ast.AST) -> str:
    """An expression as the source writes it; an ellipsis where it is too deep to write out."""
    try:
        return ast.unparse(node)
    except RecursionError:
        return "…"


def last_name(node: ast.AST) -> str:
    """`fit` of `model.fit` and of `fit`; "" of what is neither a name nor an attribute."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def dotted_name(node: ast.AST) -> str | None:
    """`model.layers` as written; None for anything but names and attributes."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted_name(node.value)
        return f"{inner}.{node.attr}" if inner else node.attr
    return None


def walk(tree: ast.AST, kind: type[Node] | tuple[type[Node], ...]) -> list[Node]:
    """The nodes of a kind in a tree, outer ones first."""
    return [node for node in ast.walk(tree) if isinstance(node, kind)]


def across(sources: Mapping[str, Source], kind: type[Node] | tuple[type[Node], ...]) -> Iterator[tuple[str, Node]]:
    """The nodes of a kind in all files, each with its file."""
    for file, source in sources.items():
        for node in walk(source.tree, kind):
            yield file, node


def nodes_of(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Every node with the name of the function that it stands in, in the order of the source."""
    # No recursion: a sum of a thousand terms is a tree a thousand deep.
    waiting = [(tree, "<module>")]
    while waiting:
        node, function = waiting.pop()
        yield node, function
        if isinstance(node, Function):
            function = node.name
        waiting.extend((child, function) for child in reversed(list(ast.iter_child_nodes(node))))


def within(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module or function without those of the functions in it."""
    body = getattr(scope, "body", [])
    pending: list[ast.AST] = list(body) if isinstance(body, list) else [body]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, _SCOPES):
            pending += ast.iter_child_nodes(node)


def shallow(statement: ast.stmt) -> Iterator[ast.AST]:
    """A statement and the expressions of its own: not the statements in it, nor the functions."""
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, _SCOPES):
            inner = (ast.stmt, ast.ExceptHandler, ast.match_case)
            pending += [one for one in ast.iter_child_nodes(node) if not isinstance(one, inner)]


def stored_in(scope: ast.AST) -> set[str]:
    """The variables of a function or module that something in it gives a value to."""
    return {one.id for one in within(scope) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def tree_of(sources: Mapping[str, Source], file: str) -> ast.Module:
    """The tree of a file; empty where its text is not known."""
    return sources[file].tree if file in sources else ast.Module([], [])


def nodes_at(sources: Mapping[str, Source], place: Location) -> list[ast.AST]:
    """The nodes of the statement at a place, its own body left out."""
    source = sources.get(place.file)
    first = source.span(place.line)[0] if source is not None and place.end_line is not None else place.line
    return nodes_between(tree_of(sources, place.file), first, place.end_line or place.line)


def names_at(sources: Mapping[str, Source], place: Location) -> set[str]:
    """The variables in the statement at a place."""
    return {node.id for node in nodes_at(sources, place) if isinstance(node, ast.Name)}


def nodes_between(tree: ast.AST, first: int, last: int) -> list[ast.AST]:
    """The nodes that begin on one of these lines."""
    return [node for node in ast.walk(tree) if first <= getattr(node, "lineno", 0) <= last]


def nodes_on(source: Source, line: int) -> list[ast.AST]:
    """The nodes of the statement that holds a line."""
    return nodes_between(source.tree, *source.span(line))


def around(tree: ast.AST, line: int, kind: type[Node] | tuple[type[Node], ...]) -> list[Node]:
    """The nodes of a kind that a line lies in, outer ones first."""
    return [node for node in walk(tree, kind) if holds(node, line)]


def holds(node: ast.AST, line: int) -> bool:
    first: int = getattr(node, "lineno", line + 1)
    return first <= line <= (getattr(node, "end_lineno", None) or first)


def function_at(tree: ast.AST, line: int) -> Function | None:
    """The innermost function around a line; None at the level of the module."""
    found = [node for node in around(tree, line, ast.stmt) if isinstance(node, Function)]
    return max(found, key=lambda node: node.lineno, default=None)


def scope_at(tree: ast.AST, line: int) -> ast.AST:
    """That function, else the module."""
    return function_at(tree, line) or tree


def enclosing(tree: ast.AST, line: int) -> str:
    """The name of that function."""
    found = function_at(tree, line)
    return found.name if found is not None else "<module>"


def located(sources: Mapping[str, Source], file: str, line: int) -> Location:
    """The statement at a line of a file, with the function that it stands in."""
    source = sources[file]
    statement = source.statement(line)
    return Location(
        file=file,
        line=statement.line if statement else line,
        end_line=statement.end_line if statement else None,
        function=enclosing(source.tree, line),
        source=statement.source if statement else None,
    )
