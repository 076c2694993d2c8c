"""What names are assigned from, by the source alone. Pure; runs in the user's process after an exception, and after its
death, so that both read the same out of a file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import located, nodes_at, written

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Assigned(NamedTuple):
    """`value` is the expression, `line` that of the statement."""

    value: ast.expr
    line: int


def reads(nodes: Iterable[ast.AST]) -> list[ast.expr]:
    """The names, dotted names and items that are read."""
    return [
        node
        for node in nodes
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Load)
    ]


def assigned(name: str, scope: ast.AST) -> list[Assigned]:
    """What a name is assigned from in a scope, in every place, by line."""
    found: list[Assigned] = []
    for node in within(scope):
        if isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value is not None:
            pairs = [(node.target, node.value)]
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            pairs = [(node.target, node.iter)]
        else:
            continue
        for target, value in pairs:
            found += [Assigned(one, one.lineno) for one in _paired(name, target, value)]
    return sorted(found, key=lambda one: one.line)


def _paired(name: str, target: ast.expr, value: ast.expr) -> list[ast.expr]:
    if isinstance(target, (ast.Tuple, ast.List)):
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
            pairs = zip(target.elts, value.elts, strict=True)
            return [found for one, other in pairs for found in _paired(name, one, other)]
        return [value] if any(_paired(name, one, value) for one in target.elts) else []
    if isinstance(target, ast.Starred):
        target = target.value
    return [value] if ast.unparse(target) == name else []


def within(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the functions in it."""
    body = scope.body if isinstance(scope, (ast.Module, *_SCOPES)) else []
    pending: list[ast.AST] = list(body) if isinstance(body, list) else [body]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, _SCOPES):
            pending += ast.iter_child_nodes(node)


def scope_at(tree: ast.AST, line: int) -> ast.AST:
    """The innermost function around a line, else the module."""
    around = [node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS) and _holds(node, line)]
    return max(around, key=lambda node: node.lineno) if around else tree


def _holds(node: ast.FunctionDef | ast.AsyncFunctionDef, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or 0)


def target(sources: Mapping[str, Source], place: Location) -> str | None:
    """The variable that a statement assigns."""
    for node in nodes_at(sources, place):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            return written(node.targets[0])
        if isinstance(node, ast.AnnAssign | ast.AugAssign):
            return written(node.target)
    return None


def assignment(sources: Mapping[str, Source], path: str) -> Location | None:
    """The last statement that assigns a variable or attribute."""
    name = re.sub(r"\[[^\]]*\]", "", path).rpartition(".")[2]
    for file, source in sources.items():
        lines = [
            node.lineno
            for node in ast.walk(source.tree)
            if isinstance(node, ast.Assign | ast.AnnAssign) and name in _bound(node)
        ]
        if lines:
            return located(sources, file, max(lines))
    return None


def _bound(node: ast.Assign | ast.AnnAssign) -> set[str]:
    """The names that an assignment binds; an item of a container binds none."""
    found: set[str] = set()
    targets: list[ast.expr] = list(node.targets) if isinstance(node, ast.Assign) else [node.target]
    while targets:
        one = targets.pop()
        if isinstance(one, ast.Tuple | ast.List):
            targets.extend(one.elts)
        elif isinstance(one, ast.Name | ast.Attribute):
            found.add(one.id if isinstance(one, ast.Name) else one.attr)
    return found
