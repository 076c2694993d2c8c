"""What the advice about data changes in the source: scaled to around one, bad rows left out or filled. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.numerics.bad_steps import Story, extent
from whydied.diagnose.numerics.bad_value_place import passed_frame
from whydied.diagnose.numerics.symptom import data_set_of, written_name
from whydied.records import FedValue
from whydied.source import container_parts
from whydied.source.edits.edit import Change
from whydied.source.edits.runs.data_edits import filled, masked_rows, passed, scaled, without_rows
from whydied.source.trees import located, walk

UNSCALED = 20.0
"""From this size on data is said to be far from one. As in the replay."""
_MOST_ROWS = 20


class Unscaled(NamedTuple):
    """A value of the batch that is far from one: as the source names it, its size, where it is made or passed on."""

    name: str
    largest: float
    location: Location | None
    changes: list[Change]


def unscaled(case: Case, told: Story) -> list[Unscaled]:
    """The float values of the captured batch that are far from one, the largest first."""
    capture = told.step.taken.capture
    found: list[Unscaled] = []
    for fed in capture.fed if capture is not None else []:
        numbers = fed.numbers
        if numbers is None or not fed.dtype.startswith("float") or numbers.nonfinite or extent(numbers) < UNSCALED:
            continue
        name = _written(case, told, fed)
        # Inputs that are their own targets are one array.
        if name and all(one.name != name for one in found):
            found.append(_told(case, told, fed, name, extent(numbers)))
    return sorted(found, key=lambda one: -one.largest)


def _told(case: Case, told: Story, fed: FedValue, name: str, largest: float) -> Unscaled:
    frame = passed_frame(told.step)
    files = [frame.file] if frame is not None else []
    for file in [*files, *(one for one in case.sources if one not in files)]:
        source = case.sources.get(file)
        negative = fed.numbers is not None and (fed.numbers.least or 0.0) < 0
        rank = len(fed.shape) or 1
        edit = scaled(source, file, name, rank, largest=largest, negative=negative) if source is not None else None
        if source is None or edit is None:
            continue
        made = [
            node.lineno
            for node in walk(source.tree, ast.Name)
            if node.id == name and isinstance(node.ctx, ast.Store) and node.lineno < edit.start[0]
        ]
        place = located(case.sources, file, max(made) if made else edit.start[0])
        change = Change(title=f"Scale {name} to around 1", kind="data-scale", edits=[edit])
        return Unscaled(name, largest, place, [change])
    return Unscaled(name, largest, case.locate(frame) if frame is not None else None, [])


def _written(case: Case, told: Story, fed: FedValue) -> str:
    """The array that a value comes from, as the source names it; of a placeholder what is fed for it."""
    name = container_parts.whole(written_name(told, fed.data_set or fed.name))
    if told.step.captured.kind != "session" or fed.data_set:
        return name
    for source in case.sources.values():
        for entries in walk(source.tree, ast.Dict):
            for key, value in zip(entries.keys, entries.values, strict=True):
                if isinstance(key, ast.Name) and key.id == name and isinstance(value, ast.Name):
                    return _looped(source.tree, value.id)
    return name


def _looped(tree: ast.AST, name: str) -> str:
    """`xs` for the `x` of `for x, y in zip(xs, ys)`."""
    for loop in walk(tree, ast.For):
        targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
        given = loop.iter.args if isinstance(loop.iter, ast.Call) and len(targets) > 1 else [loop.iter]
        for target, one in zip(targets, given, strict=False):
            if isinstance(target, ast.Name) and target.id == name and isinstance(one, ast.Name):
                return one.id
    return name


def rows_left_out(case: Case, told: Story) -> list[Change]:
    """The rows that were shown to bring a bad value, left out of the arrays that are trained with."""
    array, rows = data_set_of(told)
    blame, frame = told.blame, passed_frame(told.step)
    source = case.sources.get(frame.file) if frame is not None else None
    if source is None or frame is None or blame is None or blame.kind != "rows" or not blame.tried:
        return []
    if not rows or len(rows) > _MOST_ROWS or blame.row_count != len(rows):
        return []
    together = [
        [value.id for value in one.values if isinstance(value, ast.Name)]
        for one in passed(source.tree)
        if any(isinstance(value, ast.Name) and value.id == array for value in one.values)
    ]
    names = together[0] if len(together) == 1 else []
    edits = without_rows(source, frame.file, names, sorted(rows)) if array in names else []
    which = f"row {rows[0]}" if len(rows) == 1 else "these rows"
    title = f"Leave out {which} of {array}"
    return [Change(title=title, kind="data-rows", value=sorted(rows), edits=edits)] if edits else []


def finite_data(case: Case, told: Story, name: str, rank: int, *, columns: bool) -> list[Change]:
    """The rows that are finite chosen where the data is passed on; gaps filled with 0, where whole columns are bad."""
    frame = passed_frame(told.step)
    source = case.sources.get(frame.file) if frame is not None else None
    if source is None or frame is None or not name:
        return []
    edits = masked_rows(source, frame.file, name, rank) if not columns else []
    if edits:
        return [Change(title="Leave out the rows that are not finite", kind="data-rows", edits=edits)]
    edit = filled(source, frame.file, name)
    return [Change(title=f"Fill what is not finite in {name} with 0", kind="data-rows", edits=[edit])] if edit else []
