"""The outputs that a notebook was saved with come from cells that ran in another order.

## What it detects
A cell whose saved label (`[7]`) says that it ran before a cell above it, which makes a name that it reads and that no
other cell makes.

## Why it matters
What the lower cell shows was computed with an older value of that name: a run from top to bottom gives another
result, or an error.

## When it stays silent
Cells without a label or an output, labels that are all of one run in order, cells that share no name, imports and
functions.

## Fix
Restart the kernel and run all cells.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.lint.scopes import Bound
from whydied.lint.static_rule import Hit
from whydied.lint.unit import CellText, Unit

SAME_FAULT = ("cells-out-of-order",)
ANY_CODE = True


def check(unit: Unit) -> Iterator[Hit]:
    if not unit.cells or sum(cell.label is not None for cell in unit.cells) < 2:
        return
    told: set[int] = set()
    # Colab saves 0 for a cell that did not run.
    for name in unit.scopes.every(ast.Name):
        if not isinstance(name.ctx, ast.Load) or not isinstance(unit.scopes.scope(name), ast.Module):
            continue
        cell, _ = unit.place(name.lineno)
        if cell is None or not cell.label or cell.number in told:
            continue
        maker = _maker(unit, name)
        if maker is None or maker.number >= cell.number or not maker.label or maker.label <= cell.label:
            continue
        told.add(cell.number)
        yield Hit(
            name,
            f"this cell ran as [{cell.label}], before cell {maker.number} made the `{name.id}` that it reads as "
            f"[{maker.label}]",
            "Restart the kernel and run all cells.",
        )


def _maker(unit: Unit, name: ast.Name) -> CellText | None:
    """The only cell that gives a name its value."""
    seen = unit.scopes.visible(name.id, name)
    if seen is None or not isinstance(seen[0], ast.Module):
        return None
    if any(one.kind in ("import", "definition", "comprehension") for one in seen[1]):
        return None
    cells = {_cell(unit, one) for one in seen[1]}
    return cells.pop() if len(cells) == 1 else None


def _cell(unit: Unit, one: Bound) -> CellText | None:
    return unit.place(getattr(one.node, "lineno", 0))[0]
