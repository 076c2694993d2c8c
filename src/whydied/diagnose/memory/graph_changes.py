"""What takes an array out of a graph. Pure."""

from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Culprit, Location
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.source.edits.edit import Change
from whydied.source.edits.memory.graph_edits import read_when_run


def read_changes(case: Case, place: Location | None, array: Culprit) -> list[Change]:
    """The array read by the graph when it runs, instead of being a part of it."""
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None or not array.name or not array.dtype:
        return []
    edits = read_when_run(source, place.file, place.line, array.name, array.dtype)
    return change_of(f"Read `{array.name}` when the graph runs", "graph", edits, "exact")
