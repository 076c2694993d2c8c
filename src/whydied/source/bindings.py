"""What gives a name its value in the user's source: every statement that binds it, with the expression and the place in
it. Pure.

A scope is a module or a function, without the functions in it. Names are compared as they are written, so an attribute
(`self.size`) is bound like a variable.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from whydied.source.text import Source
from whydied.source.trees import Function, within, written

Kind = Literal["assignment", "loop", "with", "definition", "import", "handler"]
_CELL = re.compile(r"^(.*)/cell \[(\d+)\]$")


class Binding(NamedTuple):
    """`value` is what the name gets, or what it is taken out of: then `place` says from where, outermost first. Of a
    loop it is what is iterated. A definition and an import have none."""

    kind: Kind
    node: ast.AST
    line: int
    value: ast.expr | None = None
    place: tuple[int, ...] = ()

    @property
    def is_callable(self) -> bool:
        return self.kind in ("definition", "import")


def bindings(name: str, scope: ast.AST) -> list[Binding]:
    """All bindings of a name in a scope, by line."""
    found = [one for node in within(scope) for one in bound_by(node, name)]
    return sorted(found, key=lambda one: one.line)


def bound_by(node: ast.AST, name: str) -> Iterator[Binding]:
    """The bindings of a name that a node makes by itself, those inside of it left out."""
    if isinstance(node, Function | ast.ClassDef):
        if node.name == name:
            yield Binding("definition", node, node.lineno)
    elif isinstance(node, ast.Import | ast.ImportFrom):
        if any((alias.asname or alias.name.partition(".")[0]) == name for alias in node.names):
            yield Binding("import", node, node.lineno)
    elif isinstance(node, ast.For | ast.AsyncFor):
        for place in _places(node.target, name):
            yield Binding("loop", node, node.lineno, node.iter, place)
    elif isinstance(node, ast.With | ast.AsyncWith):
        for item in node.items:
            for place in _places(item.optional_vars, name) if item.optional_vars is not None else ():
                yield Binding("with", node, node.lineno, item.context_expr, place)
    elif isinstance(node, ast.ExceptHandler):
        if node.name == name:
            yield Binding("handler", node, node.lineno)
    elif isinstance(node, ast.NamedExpr):
        if node.target.id == name:
            yield Binding("assignment", node, node.lineno, node.value)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            for place in _places(target, name) if node.value is not None else ():
                value, rest = _part(node.value, place)
                yield Binding("assignment", node, node.lineno, value, rest)


def _places(target: ast.expr, name: str) -> Iterator[tuple[int, ...]]:
    """Where a name stands in what is assigned to: () where it is all of it."""
    if isinstance(target, ast.Tuple | ast.List):
        for at, one in enumerate(target.elts):
            yield from ((at, *rest) for rest in _places(one, name))
    elif written(target) == name:
        yield ()


def _part(value: ast.expr | None, place: tuple[int, ...]) -> tuple[ast.expr | None, tuple[int, ...]]:
    """The part of a written tuple at a place, as far as it is written out."""
    while place and isinstance(value, ast.Tuple | ast.List) and place[0] < len(value.elts):
        value, place = value.elts[place[0]], place[1:]
    return value, place


def part_of(value: ast.expr, place: tuple[int, ...]) -> tuple[ast.expr, tuple[int, ...]]:
    found, rest = _part(value, place)
    return (found, rest) if found is not None else (value, place)


def cell_number(file: str) -> int | None:
    """The number of a cell of a notebook; None for a file."""
    found = _CELL.match(file)
    return int(found[2]) if found else None


def notebook_of(file: str) -> str | None:
    """What a cell of a notebook is a cell of: the path of its file where that is known; None for a file."""
    found = _CELL.match(file)
    return found[1] if found else None


def module_files(sources: Mapping[str, Source], file: str) -> list[str]:
    """The files that share their names with one, in the order in which they ran: the cells of its notebook up to it; a
    file has only itself."""
    number, notebook = cell_number(file), notebook_of(file)
    if number is None:
        return [file]
    cells = [(own, one) for one in sources if (own := cell_number(one)) is not None and notebook_of(one) == notebook]
    return [one for own, one in sorted(cells) if own <= number]
