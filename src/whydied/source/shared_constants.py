"""The whole numbers that a program writes once and computes sizes from: which other number would give a size that is
asked for. Pure.

`IMAGE_SIZE = 48` makes 2304 of `IMAGE_SIZE * IMAGE_SIZE`; where 1024 arrives, 32 would.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whydied.source.assignments import unpacked
from whydied.source.numbers import evaluate
from whydied.source.trees import walk

LARGEST = 4096
_DEPTH = 8


class OtherNumber(NamedTuple):
    """`node` is the number `was` behind `name`; `text` is the expression that has the size, and has the other one with
    `now`."""

    name: str
    node: ast.Constant
    was: int
    now: int
    text: str


def other_numbers(tree: ast.Module, size: int, wanted: int) -> Iterator[OtherNumber]:
    """The constants of a module with another number of which an expression that is `size` would be `wanted`: those that
    a computed size comes of before those that are the size themselves."""
    made = _made_once(tree)
    known = {name: value for name, node in made.items() if (value := evaluate(_inlined(node, made), {})) is not None}
    plain = {name: node for name, node in made.items() if isinstance(node, ast.Constant) and type(node.value) is int}
    told: set[str] = set()
    for node in sorted(_computed(tree), key=lambda one: isinstance(one, ast.Name)):
        if evaluate(node, known) != size:
            continue
        for name, constant in plain.items():
            whole = _inlined(node, {key: one for key, one in made.items() if key != name})
            if name in told or not any(one.id == name for one in walk(whole, ast.Name)):
                continue
            now = next((one for one in range(1, LARGEST) if evaluate(whole, {name: one}) == wanted), None)
            if now is not None and type(constant.value) is int:
                told.add(name)
                yield OtherNumber(name, constant, constant.value, now, ast.unparse(node))


def _made_once(tree: ast.Module) -> dict[str, ast.expr]:
    """Names that get a value in one place of the module, with the expression."""
    found: dict[str, list[ast.expr]] = {}
    for node in walk(tree, ast.Assign):
        for one in node.targets:
            for target, value in unpacked(one, node.value):
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(value)
    stored = [one.id for one in walk(tree, ast.Name) if isinstance(one.ctx, ast.Store)]
    given = {one.arg for one in walk(tree, ast.arg)}
    return {
        name: values[0]
        for name, values in found.items()
        if len(values) == 1 == stored.count(name) and name not in given
    }


def _computed(tree: ast.Module) -> list[ast.expr]:
    """The names that are read, and what is computed."""
    nodes: list[ast.expr] = [*walk(tree, ast.BinOp)]
    return [*nodes, *(one for one in walk(tree, ast.Name) if isinstance(one.ctx, ast.Load))]


def _inlined(node: ast.expr, made: Mapping[str, ast.expr], depth: int = _DEPTH) -> ast.expr:
    """An expression with what its names stand for in their places."""
    if isinstance(node, ast.Name) and node.id in made and depth:
        return _inlined(made[node.id], made, depth - 1)
    if isinstance(node, ast.BinOp) and depth:
        left, right = _inlined(node.left, made, depth - 1), _inlined(node.right, made, depth - 1)
        return ast.BinOp(left, node.op, right)
    return node
