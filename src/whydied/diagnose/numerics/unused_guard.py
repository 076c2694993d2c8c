"""A guard that the program computes and does not use: the value that went wrong was clipped, filled or cast on a line
of its own, whose result is thrown away. Pure."""

from __future__ import annotations

from typing import NamedTuple

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.finding import Location
from whydied.source.discarded_results import discarded_in
from whydied.source.edits.edit import Change, Edit
from whydied.source.trees import located, nodes_at, written


class UnusedGuard(NamedTuple):
    place: Location
    words: str
    advice: str
    change: Change


def unused_guard(case: Case, place: Location | None, name: str | None) -> UnusedGuard | None:
    """The last such statement above a line, about a value that the line uses or that is named."""
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None:
        return None
    used = {written(node) for node in nodes_at(case.sources, place) if hasattr(node, "ctx")} | {name or ""}
    found = [one for one in discarded_in(source, place.line) if one.argument in used]
    if not found:
        return None
    last = max(found, key=lambda one: one.statement.lineno)
    text = f"{last.target} = {written(last.call)}"
    start = (last.statement.lineno, last.statement.col_offset)
    edit = Edit(place.file, start, start, f"{last.target} = ")
    at = located(case.sources, place.file, last.statement.lineno)
    return UnusedGuard(
        at,
        f"`{written(last.call.func)}` on {line_words(at)} gives a new value, which nothing uses: `{last.argument}` "
        "stays as it is",
        f"Assign what it gives: `{text}`.",
        Change(title=f"Assign what `{written(last.call.func)}` gives", kind="assign", edits=[edit], harm="same result"),
    )
