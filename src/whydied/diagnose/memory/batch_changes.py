"""What makes a step with too large a batch fit: the same update from small batches, or a smaller batch. Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.call_at_death import KERAS, RunningCall
from whydied.diagnose.memory.lighter_changes import keras_version
from whydied.source.calls import argument, callee, parameters
from whydied.source.edits.edit import Change, Edit, Harm, over
from whydied.source.edits.memory.accumulated_batches import optimizer_accumulates, step_in_slices
from whydied.source.edits.runs.size_edits import power_below, smaller_batch
from whydied.source.training.written_batches import written_batch
from whydied.source.trees import across, walk

ACCUMULATES = (3, 5)
"""The first version of Keras whose accumulation counts the updates and not the small batches."""
WITH_TOTALS = 0.85
"""Part of the fitting batch that is left where the sums of the gradients are kept beside it."""
UNKNOWN = 8
"""A batch of one part of so many, where nothing tells what fits."""
_NORMALISES = "BatchNormalization"


def batch_changes(case: Case, running: RunningCall, place: Location, fits: int | None, trains: bool) -> list[Change]:
    """The gentlest first."""
    rows = running.rows or 0
    largest = fits or rows // UNKNOWN
    if rows < 2 or largest < 1:
        return []
    beside = int(WITH_TOTALS * largest) if fits else largest
    found = _accumulated(case, running, place, beside) if trains else []
    return [*found, *_smaller(case, running, place, power_below(largest), trains)]


def _smaller(case: Case, running: RunningCall, place: Location, wanted: int, trains: bool) -> list[Change]:
    edit = _batch_edit(case, running, place, wanted)
    harm: Harm = "changed result" if trains else "same result"
    return change_of(f"Use a batch of {wanted:,}", "batch-size", edit, value=wanted, harm=harm)


def _batch_edit(case: Case, running: RunningCall, place: Location, wanted: int) -> Edit | None:
    source = case.sources.get(place.file)
    if source is None or not running.rows:
        return None
    chosen = smaller_batch(
        source, place.file, place.line, running.kind, running.rows, wanted, by_default=running.batched_by_default
    )
    named = written_batch(case.project, running.rows) if chosen is None else None
    return over(case.project[named.file], named.file, named.number, str(wanted)) if named is not None else chosen


def _accumulated(case: Case, running: RunningCall, place: Location, most: int) -> list[Change]:
    rows = running.rows or 0
    if running.kind in ("call", "function"):
        wanted = power_below(most)
        edits = _sliced(case, running, wanted) if 0 < wanted < rows else []
        title = f"Compute the step in slices of {wanted:,} rows and add up their gradients"
        return _with_harm(case, title, edits, wanted, whole=True)
    wanted = max((size for size in range(1, most + 1) if rows % size == 0), default=0)
    if running.kind not in KERAS or wanted < most / 4 or not wanted or keras_version(case) < ACCUMULATES:
        return []
    steps = rows // wanted
    edits = [
        edit
        for edit in (_batch_edit(case, running, place, wanted), optimizer_accumulates(case.project, steps))
        if edit is not None
    ]
    title = f"Accumulate the gradients of {steps} batches of {wanted:,}, for the update of one of {rows:,}"
    # Of a last batch that is smaller the parts are fewer, and the next epoch begins within an update.
    whole = running.all_rows is not None and running.all_rows % rows == 0
    return _with_harm(case, title, edits if len(edits) == 2 else [], wanted, whole=whole)


def _with_harm(case: Case, title: str, edits: list[Edit], wanted: int, *, whole: bool) -> list[Change]:
    if not edits:
        return []
    normalises = any(callee(call) == _NORMALISES for _, call in across(case.project, ast.Call))
    if normalises:
        title += "; batch normalisation then takes the mean of each small batch"
    elif not whole:
        title += "; where the rows are not a multiple of the batch, the last update differs"
    harm: Harm = "same result" if whole and not normalises else "changed result"
    return [Change(title=title, kind="accumulation", edits=edits, value=wanted, harm=harm)]


def _sliced(case: Case, running: RunningCall, wanted: int) -> list[Edit]:
    """The step that was called at a line, or that runs there."""
    place = running.place
    if running.kind == "call":
        source = case.sources.get(place.file)
        word = running.arguments[0] if running.arguments else "0"
        batch = argument(case.sources, place, running.name, word) or ""
        return step_in_slices(source, place.file, place.line, batch, wanted) if source is not None else []
    for file, source in case.project.items():
        for function in walk(source.tree, ast.FunctionDef):
            name = _parameter(function, running.arguments[0] if running.arguments else "0")
            if function.name == running.name and name is not None:
                return step_in_slices(source, file, function.body[-1].lineno, name, wanted)
    return []


def _parameter(function: ast.FunctionDef, word: str) -> str | None:
    """A parameter by its name or its position."""
    names = parameters(function)
    if word.isdigit():
        return names[int(word)] if int(word) < len(names) else None
    return word if word in names else None
