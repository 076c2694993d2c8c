"""Sizes that an Input and the preparation of the data have from the same constants, changed for both at once. Pure.

Invariant: a constant is changed only where another statement uses it too: alone in the Input the data would no longer
fit.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, over
from whydied.source.edits.shapes.whole_numbers import Sizes
from whydied.source.numbers import constants, evaluate
from whydied.source.text import Source
from whydied.source.trees import across, last_name, nodes_on

_INPUTS = ("Input", "InputLayer")


def shared_sizes(sources: Mapping[str, Source], file: str, line: int, was: Sizes, wanted: Sizes) -> list[Edit] | None:
    """The constants of the program behind the sizes that the Input of a statement declares, which are to be others;
    without the axis of the batch. None where a size is written out there, or its constant serves nothing else."""
    source = sources[file]
    calls = [one for one in nodes_on(source, line) if isinstance(one, ast.Call) and callee(one) in _INPUTS]
    shapes = [shape for call in calls for shape in [*call.args[:1], *(one.value for one in call.keywords)]]
    known = constants(source.tree)
    for shape in shapes:
        parts = shape.elts if isinstance(shape, ast.Tuple | ast.List) else []
        values = [evaluate(part, known) for part in parts]
        if len(parts) != len(was) or any(one not in (None, two) for one, two in zip(values, was, strict=True)):
            continue
        differ = [(part, size) for part, old, size in zip(parts, was, wanted, strict=True) if old != size]
        edits = [_constant(sources, file, line, part, size) for part, size in differ]
        written = {one.start: one for one in edits if one is not None}
        return list(written.values()) if edits and None not in edits else None
    return None


def _constant(sources: Mapping[str, Source], file: str, line: int, part: ast.expr, size: int | None) -> Edit | None:
    name = last_name(part)
    made = [
        (where, node.value)
        for where, node in across(sources, ast.Assign)
        if any(isinstance(one, ast.Name) and one.id == name for one in node.targets)
        and node in sources[where].tree.body
    ]
    if len(made) != 1 or size is None or not isinstance(made[0][1], ast.Constant):
        return None
    where, constant = made[0]
    own = sources[file].span(line)
    uses = [
        (other, node.lineno)
        for other, node in across(sources, (ast.Name, ast.Attribute))
        if last_name(node) == name and isinstance(getattr(node, "ctx", None), ast.Load)
    ]
    elsewhere = [one for one in uses if one[0] != file or not own[0] <= one[1] <= own[1]]
    return over(sources[where], where, constant, str(size)) if elsewhere else None
