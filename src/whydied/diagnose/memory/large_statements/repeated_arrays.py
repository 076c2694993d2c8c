"""A statement that writes one array several times into a larger one, such as grey pictures as three colours. Pure."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.statement_shapes import Made, in_census, made_by
from whydied.graph.op_table import element_bytes
from whydied.source.arrays.array_shapes import Array, ArrayList
from whydied.source.arrays.repeated_values import repetition
from whydied.source.assignments import assignment
from whydied.source.edits.edit import Change
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.memory.window_views import fed_in_batches, shown_without_copy


class Repeated(NamedTuple):
    """`made` is what the statement makes."""

    words: str
    advice: list[str]
    changes: list[Change]
    made: Made


def repeated(case: Case, place: Location) -> Repeated | None:
    source = case.sources.get(place.file)
    found = repetition(source, place.line) if source is not None else None
    given = _known(case, found.array) if found is not None else None
    if source is None or found is None or not isinstance(given, Array) or not given.shape:
        return None
    shape = list(given.shape)
    if found.is_new:
        shape.insert(len(shape) if found.axis == -1 else found.axis or 0, found.times)
    elif found.axis is not None and -len(shape) <= found.axis < len(shape):
        shape[found.axis] *= found.times
    else:
        shape = [prod(shape) * found.times]
    numpy = name_of(source, "numpy")
    shown = shown_without_copy(source, place.file, found, len(given.shape), given.shape[-1], numpy) if numpy else None
    fed = fed_in_batches(source, place.file)
    title = f"Show `{found.array}` {found.times} times without a copy (`broadcast_to`), and feed it batch by batch"
    return Repeated(
        f"copies `{found.array}` {found.times} times, without anything new in it",
        [
            f"Let the model repeat it, batch by batch: `keras.layers.Concatenate()([x] * {found.times})` behind its "
            f"Input; or show it without a copy (`np.broadcast_to`) and feed it in batches.",
        ],
        change_of(title, "views", [shown, *fed], "same result") if shown is not None and fed else [],
        Made(shape, given.dtype, prod(shape) * (element_bytes(given.dtype) or 4)),
    )


def _known(case: Case, name: str) -> Array | ArrayList | None:
    """What was counted under a name, else what the source makes of it."""
    counted, place = in_census(case, name), assignment(case.sources, name)
    made = made_by(case, place, 1.0) if counted is None and place is not None else None
    return Array(made.shape, made.dtype) if made is not None else counted
