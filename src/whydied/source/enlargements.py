"""Finds the statement that makes a thing of itself, and larger: `rows = np.append(rows, batch)`. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.source.assignments import targets
from whydied.source.holder_fills import HolderName
from whydied.source.statements import in_one_loop
from whydied.source.text import Source
from whydied.source.trees import nodes_of, written

_IN_PLACE = frozenset({"resize", "extend"})
_ENLARGED_BY = frozenset({"loc", "at", "iloc"})
"""A row that a table does not have yet is added by assigning to it."""
_JOINING = frozenset(
    {"append", "concatenate", "concat", "vstack", "hstack", "dstack", "stack", "column_stack", "row_stack"}
    | {"insert", "pad", "join", "resize", "repeat", "tile", "r_", "c_", "_append", "merge"}
)


class Enlargement(NamedTuple):
    """`name` is the thing as the statement writes it; `copies` says that the new one is made beside the old;
    `joins_in_loop` that the statement puts two things together, and stands in a loop."""

    file: str
    line: int
    function: str
    name: str
    copies: bool
    joins_in_loop: bool = False


def enlargements(path: str, sources: dict[str, Source]) -> list[Enlargement]:
    """Every statement that may make the thing at a path larger, those that join last."""
    name = HolderName.of(path)
    if name is None:
        return []
    found: list[tuple[bool, Enlargement]] = []
    for file, source in sources.items():
        nodes = list(nodes_of(source.tree))
        between = _between(nodes, name)
        for node, function in nodes:
            made = _in_place(node, function, name) or _made_anew(node, name, between)
            if made is not None:
                thing, copies = made
                line = getattr(node, "lineno", 0)
                joins = _joins(node)
                looped = joins and in_one_loop(source.tree, line)
                found.append((joins, Enlargement(file, line, function, written(thing), copies, looped)))
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def _between(nodes: list[tuple[ast.AST, str]], name: HolderName) -> dict[str, ast.expr]:
    """Variables that the thing is assigned from, with the thing: `longer = np.append(rows, batch); rows = longer`."""
    return {
        node.value.id: target
        for node, _ in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name)
        for target in node.targets
        if name.is_written(target)
    }


def _in_place(node: ast.AST, function: str, name: HolderName) -> tuple[ast.expr, bool] | None:
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and name.is_written(node.target):
        # Python makes a text longer where it is only for a variable of a function.
        return node.target, function == "<module>" or not isinstance(node.target, ast.Name)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and name.is_written(node.func.value):
        if node.func.attr in _IN_PLACE:
            return node.func.value, False
        if node.func.attr == "assign" and any(name.is_mentioned(argument) for argument in node.args):
            return node.func.value, True
    for target in node.targets if isinstance(node, ast.Assign) else ():
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Attribute):
            table = target.value.value
            if target.value.attr in _ENLARGED_BY and name.is_written(table):
                return table, True
    return None


def _made_anew(node: ast.AST, name: HolderName, between: dict[str, ast.expr]) -> tuple[ast.expr, bool] | None:
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None or not name.is_mentioned(node.value):
        return None
    for target in targets(node):
        for one in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
            if name.is_written(one):
                return one, True
            if isinstance(one, ast.Name) and one.id in between:
                return between[one.id], True
    return None


def _joins(node: ast.AST) -> bool:
    """Whether a statement calls what puts two things together."""
    if isinstance(node, ast.AugAssign):
        return True
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and part.attr in _JOINING:
            return True
        if isinstance(part, ast.Name) and part.id in _JOINING:
            return True
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
            return True
    return False
