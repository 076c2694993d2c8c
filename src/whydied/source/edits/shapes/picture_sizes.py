"""Edits that bring the pictures of a pipeline to one size before they are batched. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, end_of, written_in
from whydied.source.edits.shapes.library_names import library_name
from whydied.source.text import Source
from whydied.source.trees import across, nodes_on, stored_in

_DECLARING = ("Input", "InputLayer", "Conv2D")
_SHAPES = ("shape", "input_shape", "batch_input_shape")


def declared_size(sources: Mapping[str, Source], file: str) -> str | None:
    """Height and width that a model of the program declares for its pictures, as the file can write them; None where
    nothing or several sizes are declared."""
    found = {size for where, call in across(sources, ast.Call) if (size := _of_call(sources, where, call, file))}
    return next(iter(found)) if len(found) == 1 else None


def _of_call(sources: Mapping[str, Source], where: str, call: ast.Call, file: str) -> str | None:
    if callee(call) not in _DECLARING:
        return None
    given = [word.value for word in call.keywords if word.arg in _SHAPES]
    given += call.args[:1] if callee(call) == "Input" else []
    for shape in given:
        if not isinstance(shape, ast.Tuple) or not shape.elts:
            continue
        parts = shape.elts[:-1]
        texts = [written_in(sources[where], one) for one in parts]
        if where != file and not all(isinstance(one, ast.Constant) for one in parts):
            continue
        if not all(_is_everywhere(sources[where], one) for one in parts):
            continue
        if len(parts) == 1 and isinstance(parts[0], ast.Starred):
            return texts[0].removeprefix("*")
        if len(parts) == 2 and not any(isinstance(one, ast.Starred) for one in parts) and "None" not in texts:
            return f"({', '.join(texts)})"
    return None


def _is_everywhere(source: Source, node: ast.expr) -> bool:
    """A number, or a name of the module."""
    assigned = [one for one in source.tree.body if isinstance(one, ast.Assign | ast.AnnAssign)]
    module = {name for one in assigned for name in stored_in(ast.Module([one], []))}
    inner = node.value if isinstance(node, ast.Starred) else node
    return isinstance(inner, ast.Constant) or (isinstance(inner, ast.Name) and inner.id in module)


def resized_before_batch(source: Source, file: str, line: int, size: str) -> list[list[Edit]]:
    """A `map` in front of the only `batch` of a line, for elements that begin with a picture, that are one, and whose
    first two parts are a picture and its mask."""
    calls = [node for node in nodes_on(source, line) if isinstance(node, ast.Call) and callee(node) == "batch"]
    if len(calls) != 1 or not isinstance(calls[0].func, ast.Attribute):
        return []
    resize = library_name(source, file, "tensorflow.image.resize")
    place = end_of(source, calls[0].func.value)
    forms = (
        f"lambda picture, *rest: ({resize.text}(picture, {size}), *rest)",
        f"lambda picture: {resize.text}(picture, {size})",
        f"lambda picture, mask, *rest: "
        f'({resize.text}(picture, {size}), {resize.text}(mask, {size}, method="nearest"), *rest)',
    )
    return [[*resize.needed, Edit(file, place, place, f".map({form})")] for form in forms]
