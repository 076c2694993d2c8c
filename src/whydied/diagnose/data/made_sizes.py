"""The line and the expression that gave an array the size of one axis, followed from where the array was made. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.data.failing_data import Failing
from whydied.source.calls import callee, passed_argument
from whydied.source.numbers import evaluate
from whydied.source.origins.trails import Step

MAKERS = frozenset({"zeros", "ones", "empty", "full", "eye", "zeros_like"})


class MadeExtent(NamedTuple):
    """`size` is the expression as it is written on `line`; `name` is what the program calls it where the array is
    made, which is `made_line` of `made_file`."""

    file: str
    line: int
    size: ast.expr
    name: str
    made_file: str
    made_line: int


def made_extent(found: Failing, array: ast.expr, axis: int) -> MadeExtent | None:
    """The size of an axis where the array is made, followed to its own assignment."""
    for step in found.trails.trail(found.place.file, found.place.line, array):
        call = step.value
        if not isinstance(call, ast.Call) or callee(call) not in MAKERS:
            continue
        shape = passed_argument(call, "0") or passed_argument(call, "shape")
        elements = shape.elts if isinstance(shape, ast.Tuple | ast.List) else [shape] if shape is not None else []
        if axis >= len(elements):
            return None
        size = elements[axis]
        file, line, name = step.file, step.line, ast.unparse(size)
        for behind in chain(found, file, line, size):
            file, line, size, name = behind.file, behind.line, behind.value, behind.name or name
        return MadeExtent(file, line, size, name, step.file, step.line)
    return None


def chain(found: Failing, file: str, line: int, size: ast.expr) -> list[Step]:
    """The assignments behind a size, as long as they only pass it on."""
    steps: list[Step] = []
    if evaluate(size, {}) is not None or not isinstance(size, ast.Name | ast.Attribute):
        return steps
    for step in found.trails.trail(file, line, size):
        steps.append(step)
        if not isinstance(step.value, ast.Name | ast.Attribute):
            break
    return steps
