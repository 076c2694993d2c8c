"""An axis of size 1 that the program itself gave a value which has one too many: the expression that adds it, left out.
Pure.

The statements that made the value are known. What goes there instead is the value without that axis; whether it is
then taken is for the asker to try, on the shapes and on the program.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from whydied.diagnose.errors.advice import Sources, source_at
from whydied.diagnose.errors.framework_error import Shape
from whydied.records import Frame, Party
from whydied.source.calls import callee
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.trees import nodes_on

_ADDING = ("expand_dims",)
_NEW = ("newaxis",)


class AddedAxis(NamedTuple):
    """`text` adds an axis on the line of `frame`, `inner` is the same without; `edits` write it so."""

    text: str
    inner: str
    frame: Frame
    edits: list[Edit]


def added_axes(sources: Sources, party: Party) -> Iterator[AddedAxis]:
    """The expressions that add an axis in the statements that made a value, the nearest first."""
    told: set[tuple[str, int, int]] = set()
    for made in party.sources:
        source, frame = source_at(sources, made.frame), made.frame
        if source is None or frame is None or made.kind not in ("variable", "parameter"):
            continue
        for node in [one for one in nodes_on(source, frame.line) if isinstance(one, ast.expr)]:
            inner, key = _within(node), (frame.file, node.lineno, node.col_offset)
            if inner is None or key in told:
                continue
            told.add(key)
            text = written_in(source, inner)
            yield AddedAxis(written_in(source, node), text, frame, [over(source, frame.file, node, text)])


def _within(node: ast.expr) -> ast.expr | None:
    """What gets an axis more: `x` of `x[..., None]`, `x[:, np.newaxis]` or `np.expand_dims(x, -1)`."""
    if isinstance(node, ast.Call):
        return node.args[0] if callee(node) in _ADDING and node.args else None
    if not isinstance(node, ast.Subscript):
        return None
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    new = [one for one in parts if _is_new(one)]
    whole = all(_is_new(one) or _is_whole(one) for one in parts)
    return node.value if len(new) == 1 and whole else None


def _is_new(node: ast.expr) -> bool:
    none = isinstance(node, ast.Constant) and node.value is None
    return none or (isinstance(node, ast.Attribute) and node.attr in _NEW)


def _is_whole(node: ast.expr) -> bool:
    """`...` or `:`."""
    if isinstance(node, ast.Slice):
        return node.lower is node.upper is node.step is None
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def without_one(shape: Shape) -> list[Shape]:
    """A shape without one of its axes of size 1, the last ones first."""
    return [[*shape[:at], *shape[at + 1 :]] for at in range(len(shape) - 1, -1, -1) if shape[at] == 1]
