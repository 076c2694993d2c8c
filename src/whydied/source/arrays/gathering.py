"""Expressions that gather many things before any of them has a name: a comprehension, `list(map(…))`. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import nodes_at, walk, written

_KINDS: dict[type[ast.expr], str] = {ast.ListComp: "list", ast.DictComp: "dict", ast.SetComp: "set"}
_WITH_VALUE = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return | ast.Expr
_GATHERING = {"list", "tuple", "set", "frozenset", "dict", "sorted"}
_APPLYING = {"apply", "applymap", "map", "transform", "starmap"}
"""Methods that call a function for each item and give all results back together."""


class GatheringExpression(NamedTuple):
    """`kind` is the container; `within` the function that gets it before anything else does (`np.array`); `is_all` says
    that the statement assigns or returns the container itself."""

    kind: str
    within: str | None
    is_all: bool


def gathered_at(sources: Mapping[str, Source], place: Location) -> GatheringExpression | None:
    """What a statement gathers, the outermost, where each item is made by a call."""
    nodes = nodes_at(sources, place)
    found = gathered_expression(sources, place)
    if found is None:
        return None
    value = next((node.value for node in nodes if isinstance(node, _WITH_VALUE)), None)
    within = written(value.func) if isinstance(value, ast.Call) and found in value.args else None
    return GatheringExpression(_kind(found), within, value is found)


def gathered_expression(sources: Mapping[str, Source], place: Location) -> ast.expr | None:
    """The expression itself."""
    return next(_gathered(nodes_at(sources, place)), None)


def _gathered(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    for node in nodes:
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp):
            if walk(node.value if isinstance(node, ast.DictComp) else node.elt, ast.Call):
                yield node
        elif isinstance(node, ast.Call) and written(node.func) in _GATHERING and len(node.args) == 1:
            # What is made item by item: `list(map(…))`, `sorted(… for …)`.
            yield from [node] if isinstance(node.args[0], ast.Call | ast.GeneratorExp) else []
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _APPLYING:
            yield from [node] if node.args and isinstance(node.args[0], ast.Name | ast.Attribute | ast.Lambda) else []


def _kind(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        kind = node.func.id if isinstance(node.func, ast.Name) else "result"
        return "list" if kind == "sorted" else kind
    return _KINDS[type(node)]
