"""The size that an Input declares, written anew in the program's own names: `n_units` that gets twice as much becomes
`n_units * 2`. Pure.

What the names stand for stays: other layers have their size from them, and those fit.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from whydied.source.calls import passed_argument
from whydied.source.edits.call_edits import calls_at
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.text import Source


def declared_sizes(
    source: Source, file: str, line: int, was: Sequence[int | None], wanted: Sequence[int | None]
) -> list[Edit] | None:
    """The sizes of the only Input on a line, without the batch; None where they are not written out there."""
    calls = [*calls_at(source, line, "Input"), *calls_at(source, line, "InputLayer")]
    if len(calls) != 1:
        return None
    shape = passed_argument(calls[0], "shape") or passed_argument(calls[0], "0")
    if not isinstance(shape, ast.Tuple | ast.List) or len(shape.elts) != len(was) or len(was) != len(wanted):
        return None
    edits: list[Edit] = []
    for node, old, new in zip(shape.elts, was, wanted, strict=True):
        if old is not None and new is not None and old != new:
            edits.append(over(source, file, node, _anew(source, node, old, new)))
    return edits or None


def _anew(source: Source, node: ast.expr, old: int, new: int) -> str:
    text = written_in(source, node)
    text = text if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call) else f"({text})"
    if isinstance(node, ast.Constant) or not old:
        return str(new)
    if new % old == 0:
        return f"{text} * {new // old}"
    return f"{text} // {old // new}" if new and old % new == 0 else str(new)
