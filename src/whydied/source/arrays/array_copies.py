"""Statements of the user's source that copy an array or tensor. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.arrays.array_shapes import is_widened
from whydied.source.calls import callee
from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.trees import nodes_at, written

COPYING = {
    "astype", "copy", "array", "asarray", "constant", "convert_to_tensor", "stack", "vstack", "hstack", "concatenate",
    "concat", "tile", "repeat", "cast", "from_tensor_slices", "deepcopy", "ascontiguousarray", "reshape", "float32",
    "float64", "Variable", "to_numpy", "tolist", "train_test_split", "flatten", "numpy",
}  # fmt: skip


class CopyStatement(NamedTuple):
    """`names` are those that it may copy, `operand` is what its copying call is given, `result` the copy's name."""

    names: set[str]
    operand: str | None
    result: str | None


def copy_at(sources: Mapping[str, Source], place: Location) -> CopyStatement | None:
    """None for a statement that copies nothing."""
    nodes = nodes_at(sources, place)
    copying = [node for node in nodes if isinstance(node, ast.Call) and callee(node) in COPYING]
    if not copying:
        return None
    # `x[:, None] - y` makes something larger than `x`: no copy.
    widened = {part for node in nodes if is_widened(node) for part in ast.walk(node)}
    names = {written(node) for node in nodes if isinstance(node, ast.Name | ast.Attribute) and node not in widened}
    results = [written(one) for node in nodes if isinstance(node, ast.Assign) for one in node.targets]
    operand = next((text for call in copying if (text := _operand(call))), None)
    return CopyStatement(names, operand, results[0] if results else None)


def _operand(call: ast.Call) -> str | None:
    """What a call copies: its argument, or the object whose method it is."""
    if call.args and isinstance(call.args[0], ast.Name | ast.Attribute):
        return written(call.args[0])
    return written(call.func.value) if isinstance(call.func, ast.Attribute) else None
