"""A batch that is smaller than the others, beside something that is always made as large as a whole one. Pure.

The size that the larger side has is the one by which the program cuts its data; the edits are the size taken from the
batch, where the program writes the constant, and batches that are all whole.
"""

from __future__ import annotations

from typing import NamedTuple

from whydied.diagnose.case import Case, line_words, root_of
from whydied.diagnose.errors.advice import Advice, Way, either
from whydied.diagnose.errors.framework_error import Shape, sizes_in
from whydied.diagnose.errors.misfit import misfit
from whydied.diagnose.finding import Location
from whydied.records import Frame, RaisedException, SessionRan, StepBegan
from whydied.source.calls import parameters
from whydied.source.edits.edit import written_in
from whydied.source.edits.shapes.fixed_batches import cuts, fixed_sizes, sized_by
from whydied.source.trees import function_at, located, scope_at, written
from whydied.texts import shapes_and_types

_PAIR = shapes_and_types.PAIR_OF_SHAPES.pattern
_MOST_NAMES = 2


class LastBatch(NamedTuple):
    """`left` rows came where `size` are expected; `cut` is the line that makes the batches, `fixed` that on which the
    size is written for something else, with its words there."""

    left: int
    size: int
    cut: Location
    fixed: Location | None
    name: str
    advice: Advice


def last_batch(case: Case) -> LastBatch | None:
    """None where the first axes do not differ, or where nothing was computed before."""
    raised = case.uncaught
    link = raised.chain[root_of(raised.chain)] if raised is not None else None
    rows = _rows(case, link) if link is not None else None
    if link is None or rows is None or not _went_well(case):
        return None
    left, size = rows
    cut = [one for one in cuts(case.project, size) if one.edits]
    if not cut:
        return None
    place = located(case.project, cut[0].file, cut[0].call.func.end_lineno or cut[0].call.lineno)
    whole = [
        Way(_whole_words(written(one.call.func), located(case.project, one.file, one.call.lineno)), one.edits)
        for one in cut[:1]
    ]
    fixed, name, ways = _by_the_data(case, link, left, size)
    return LastBatch(left, size, place, fixed, name, either("batch-size", [*ways, *whole]))


def _went_well(case: Case) -> bool:
    """Whether a step was taken before this one: with whole batches the program works."""
    steps = case.principal.all(StepBegan) if case.principal is not None else []
    runs = case.principal.all(SessionRan) if case.principal is not None else []
    return any(one.count > 0 or (one.step or 0) > 0 for one in steps) or any(one.count > 1 for one in runs)


def _whole_words(function: str, place: Location) -> str:
    if function == "range":
        return f"end the `range` on {line_words(place)} before the last batch, so that all are whole"
    return f"pass `drop_remainder=True` to `batch` on {line_words(place)}, which leaves the last rows out"


def _rows(case: Case, link: RaisedException) -> tuple[int, int] | None:
    """The first sizes of two shapes that go together but for these, the smaller one first."""
    found = misfit(case)
    parties = [one for one in (found.first, found.second) if one is not None] if found is not None else []
    told = _PAIR.search(link.message)
    pairs: list[list[Shape]] = [[one.shape or [] for one in parties]]
    pairs += [[sizes_in(text) for text in told.groups()]] if told is not None else []
    pairs += [[one.shape for one in link.operands if one.shape]]
    for pair in pairs:
        if len(pair) != 2 or not pair[0] or len(pair[0]) != len(pair[1]):
            continue
        (first, *inner), (second, *other) = pair
        alike = all(one == two or 1 in (one, two) for one, two in zip(inner, other, strict=True))
        if alike and first is not None and second is not None and first != second and 1 not in (first, second):
            return min(first, second), max(first, second)
    return None


def _by_the_data(case: Case, link: RaisedException, left: int, size: int) -> tuple[Location | None, str, list[Way]]:
    """The line on which a running function writes the size, and that size taken from what has the rows of the batch."""
    for frame in [one for one in reversed(link.frames) if one.user and one.file in case.project]:
        source = case.project[frame.file]
        fixed = fixed_sizes(source, scope_at(source.tree, frame.line), size)
        if not fixed:
            continue
        place = located(case.project, frame.file, fixed[0].node.lineno)
        text = written_in(source, fixed[0].node)
        ways = []
        for name in _with_rows(case, frame, left)[:_MOST_NAMES]:
            edits = sized_by(source, frame.file, fixed, name)
            words = f"write `{edits[0].text}` for `{text}` on {line_words(place)}, so that it goes with `{name}`"
            ways.append(Way(words, edits))
        return place, text, ways[:1] if ways and _is_sure(frame, left) else ways
    return None, "", []


def _is_sure(frame: Frame, left: int) -> bool:
    return any((one.shape or [None])[0] == left for one in frame.locals)


def _with_rows(case: Case, frame: Frame, left: int) -> list[str]:
    """The variables of a function that have as many rows; else its parameters."""
    source = case.project[frame.file]
    function = function_at(source.tree, frame.line)
    given = [one for one in parameters(function) if one not in ("self", "cls")] if function is not None else []
    seen = [one.name for one in frame.locals if (one.shape or [None])[0] == left]
    return sorted(seen, key=lambda name: name not in given) or given
