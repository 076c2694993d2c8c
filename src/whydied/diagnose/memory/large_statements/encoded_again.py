"""A statement that makes one-hot rows of a matrix that has a column of 0 and 1 for each label already. Pure.

Invariant: that no value is above 1 follows from the two columns for each value that the statement was making.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.statement_shapes import Made, in_census
from whydied.source.arrays.array_shapes import Array
from whydied.source.edits.edit import Change
from whydied.source.edits.memory.sparse_targets import encoded_name, is_per_label, not_encoded

_CLASSES = 2


class EncodedAgain(NamedTuple):
    words: str
    advice: list[str]
    changes: list[Change]


def encoded_again(case: Case, place: Location, made: Made | None) -> EncodedAgain | None:
    source = case.sources.get(place.file)
    name = encoded_name(source, place.line) if source is not None else None
    if source is None or name is None or made is None or not made.shape:
        return None
    given = in_census(case, name)
    if not isinstance(given, Array) or len(given.shape) < 2 or given.shape[-1] < 2 or not is_per_label(source):
        return None
    if made.shape[-1] != _CLASSES or prod(made.shape[:-1]) != prod(given.shape):
        return None
    columns = given.shape[-1]
    return EncodedAgain(
        f"makes two columns of each of the {columns:,} columns of `{name}`, in which no value is above 1",
        [
            f"`{name}` has one column of 0 and 1 for each of {columns:,} labels already, which is what "
            "`binary_crossentropy` takes: do not encode it again."
        ],
        change_of(f"Use `{name}` as it is", "encoding", not_encoded(source, place.file, place.line)),
    )
