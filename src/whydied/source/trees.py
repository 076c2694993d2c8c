"""Walking the user's source as trees: nodes, the functions around them, expressions as written. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from whydied.source.location import Location
from whydied.source.text import Source


def written(node: ast.AST) -> str:
    """An expression as the source writes it; an ellipsis where it is too deep to write out."""
    try:
        return ast.unparse(node)
    except RecursionError:
        return "…"


def nodes_of(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Every node with the name of the function that it stands in, in the order of the source."""
    # No recursion: a sum of a thousand terms is a tree a thousand deep.
    waiting = [(tree, "<module>")]
    while waiting:
        node, function = waiting.pop()
        yield node, function
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = node.name
        waiting.extend((child, function) for child in reversed(list(ast.iter_child_nodes(node))))


def tree_of(sources: Mapping[str, Source], file: str) -> ast.Module:
    """The tree of a file; empty where its text is not known."""
    return sources[file].tree if file in sources else ast.Module([], [])


def nodes_at(sources: Mapping[str, Source], place: Location) -> list[ast.AST]:
    """The nodes of the statement at a place, its own body left out."""
    last = place.end_line or place.line
    tree = tree_of(sources, place.file)
    return [node for node in ast.walk(tree) if place.line <= getattr(node, "lineno", 0) <= last]


def enclosing(tree: ast.Module, line: int) -> str:
    """The name of the innermost function around a line."""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    return max(around, key=lambda node: node.lineno).name if around else "<module>"


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
