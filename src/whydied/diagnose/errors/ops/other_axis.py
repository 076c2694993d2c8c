"""Values that are joined along one axis and fit along another: the axis is wrong, and not the values. Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.errors.advice import Advice, Way, either, nothing, source_at
from whydied.diagnose.errors.error_edits import Edits
from whydied.diagnose.errors.framework_error import FrameworkError, Shape, shape_words
from whydied.records import Frame
from whydied.shapes import ops
from whydied.source.calls import callee
from whydied.source.edits.call_edits import set_argument
from whydied.source.trees import nodes_on

_JOINS = ("concat", "concatenate", "Concatenate")


def other_axis(error: FrameworkError, shapes: list[Shape], axis: int | None) -> Advice:
    """The only other axis along which shapes can be joined; an axis that is given counts from the end where it is the
    last."""
    rank = len(shapes[0]) if shapes else 0
    if axis is None or rank < 2 or any(len(shape) != rank for shape in shapes):
        return nothing()
    # Pictures whose channels are to be joined are not put below each other.
    if rank > 3 and axis % rank == rank - 1:
        return nothing()
    fits = [at for at in range(rank) if at != axis % rank and isinstance(_joined(shapes, at), list)]
    # Along the rows of a batch nothing is joined by a layer.
    fits = [at for at in fits if at > 0 or shapes[0][0] is not None]
    if len(fits) != 1:
        return nothing()
    at = -1 if fits[0] == rank - 1 else fits[0]
    made = _joined(shapes, fits[0])
    gives = shape_words(made) if isinstance(made, list) else ""
    edits = axis_edits(error, at)
    words = f"they fit along axis {fits[0]} only: `axis={at}` joins them to {gives}"
    return either("operand", [Way(words, edits, _line(error, edits))])


def axis_edits(error: FrameworkError, axis: int) -> Edits:
    """The axis of the only call at the failing line that joins values."""
    place = error.facts.place
    source = source_at(error.sources, place)
    if source is None or place is None:
        return None
    calls = [node for node in nodes_on(source, place.line) if isinstance(node, ast.Call) and callee(node) in _JOINS]
    if len(calls) != 1:
        return None
    position = 1 if callee(calls[0]) == "concat" else 0 if callee(calls[0]) == "Concatenate" else None
    edit = set_argument(source, place.file, calls[0], "axis", position, str(axis))
    return [edit] if edit is not None else None


def _line(error: FrameworkError, edits: Edits) -> Frame | None:
    """The line that says the axis."""
    place = error.facts.place
    if not edits or place is None:
        return None
    source, line = source_at(error.sources, place), edits[0].start[0]
    text = source.text(line, line).strip()[:300] if source is not None else ""
    function = place.function if place.line <= line <= (place.end_line or place.line) else "<module>"
    return Frame(file=place.file, line=line, function=function, user=True, source=text)


def _joined(shapes: list[Shape], axis: int) -> Shape | object:
    return ops.result(ops.Op("ConcatV2", axis=axis), shapes)
