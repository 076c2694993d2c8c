"""A statement that makes one array of many views of another: windows of a series, each row in all over it. Pure.

Invariant: how many there are and what they show was counted in a census.
"""

from __future__ import annotations

from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.memory_over_time import censuses
from whydied.records import ViewsHeld
from whydied.source.edits.edit import Change
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.memory.window_views import fed_in_batches, joined_names, shown_windows, windows_of


class WindowJoin(NamedTuple):
    """`shown_bytes` is what the copy takes."""

    words: str
    advice: list[str]
    changes: list[Change]
    shown_bytes: int


def views_named(case: Case, name: str) -> ViewsHeld | None:
    """What the last census that knows it counted under the name of a list."""
    every = (views for _, census in reversed(censuses(case)) for views in census.views)
    return next((views for views in every if views.path == name), None)


def window_join(case: Case, place: Location) -> WindowJoin | None:
    """The views that a statement joins."""
    source = case.sources.get(place.file)
    names = joined_names(source, place.line) if source is not None else []
    found = next((views for name in names if (views := views_named(case, name))), None)
    if found is None or source is None:
        return None
    windows = windows_of(source, place.line, found.path)
    series = windows.series if windows is not None else found.of
    of = f"one array of {words.size(found.of_bytes)}" + (f", `{series}`" if series else "")
    times = found.shown_bytes / max(1, found.of_bytes)
    numpy = name_of(source, "numpy")
    shown = shown_windows(source, place.file, place.line, found.path, numpy) if numpy else None
    fed = fed_in_batches(source, place.file)
    title = "Show the windows without a copy (`sliding_window_view`), and feed them batch by batch"
    return WindowJoin(
        f"copies {found.number:,} overlapping pieces of shape {found.shape}, views of {of}, "
        f"which puts each of its values about {times:,.0f} times into memory",
        [_advice(found, series, windows.length if windows is not None else None)],
        change_of(title, "views", [shown, *fed], "same result") if shown is not None and fed else [],
        found.shown_bytes,
    )


def _advice(found: ViewsHeld, series: str, length: str | None) -> str:
    data = series or "data"
    long = length or (str(found.shape[0]) if found.shape else "…")
    return (
        f"Make the windows batch by batch: `keras.utils.timeseries_dataset_from_array({data}, targets, "
        f"sequence_length={long}, batch_size=…)`, whose windows begin at row 0; "
        f"`np.lib.stride_tricks.sliding_window_view({data}, {long}, axis=0)` shows all of them without a copy."
    )
