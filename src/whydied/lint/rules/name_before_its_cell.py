"""A cell of a notebook uses a name that only a later cell makes.

## What it detects
A name that a cell reads when it runs, that no cell above it makes, and that a cell below it does.

## Why it matters
The notebook worked for its author, who ran the cells in another order. From top to bottom it raises NameError, as
`jupyter nbconvert --execute`, papermill and every other reader run it.

## When it stays silent
The name is used only inside of a function, which may be called later; a magic (`%run`, `%load_ext`) or a star import
can have made it; it is a built-in name, or one that no cell makes at all.

## Fix
Move the cell that makes the name above the one that uses it.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.source.trees import Function

SAME_FAULT = ("cells-out-of-order",)
ANY_CODE = True
_KNOWN = frozenset(
    {*dir(builtins), "get_ipython", "display", "In", "Out", "exit", "quit", "__file__", "__name__", "__doc__"}
)


def check(unit: Unit) -> Iterator[Hit]:
    if not unit.cells or unit.memory.get("defines unseen"):
        return
    if any(alias.name == "*" for node in unit.scopes.every(ast.ImportFrom) for alias in node.names):
        return
    told: set[str] = set()
    for name in unit.scopes.every(ast.Name):
        if not isinstance(name.ctx, ast.Load) or name.id in told or name.id in _KNOWN or name.id.startswith("_"):
            continue
        if not isinstance(unit.scopes.scope(name), ast.Module) or _runs_later(unit, name):
            continue
        seen = unit.scopes.visible(name.id, name)
        if seen is None or not isinstance(seen[0], ast.Module):
            continue
        lines = [_line(unit, one.node) for one in seen[1] if one.kind not in ("comprehension", "delete")]
        if not lines or any(
            one.kind == "comprehension" and unit.scopes.within(name, unit.scopes.parents[one.node]) for one in seen[1]
        ):
            continue
        cell, _ = unit.place(name.lineno)
        later = [unit.place(line)[0] for line in lines]
        numbers = [one.number for one in later if one is not None]
        if cell is None or not numbers or min(numbers) <= cell.number or _is_tried(unit, name):
            continue
        told.add(name.id)
        yield Hit(
            name,
            f"`{name.id}` is used here, but only cell {min(numbers)} makes it",
            f"Move cell {min(numbers)}, or what it assigns to `{name.id}`, above cell {cell.number}.",
        )


def _line(unit: Unit, node: ast.AST) -> int:
    return getattr(node, "lineno", 0)


def _runs_later(unit: Unit, name: ast.AST) -> bool:
    """Whether a name stands in a function or lambda; a decorator and a default run at once."""
    return any(
        isinstance(above, Function | ast.Lambda) and _is_in_body(unit, name, above)
        for above in unit.scopes.ancestors(name)
    )


def _is_in_body(unit: Unit, name: ast.AST, function: ast.AST) -> bool:
    body = getattr(function, "body", [])
    parts = body if isinstance(body, list) else [body]
    return any(unit.scopes.within(name, part) for part in parts)


def _is_tried(unit: Unit, name: ast.AST) -> bool:
    return any(isinstance(above, ast.Try) and above.handlers for above in unit.scopes.ancestors(name))
