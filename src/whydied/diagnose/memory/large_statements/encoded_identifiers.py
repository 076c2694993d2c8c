"""A one-hot encoding that was refused its memory because a column that is different in nearly every row, such as a
number of an order, is encoded with the others. Pure.

Invariant: the different values of a column were counted at the failure, and they are most of what was asked for.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.data.failing_data import Failing, failing, words_at
from whydied.diagnose.finding import Location
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Change, Edit, end_of, over, written_in
from whydied.source.origins.trails import Step, root_name
from whydied.source.trees import across, walk

LIKE = 0.5
"""A column is taken for an identifier where so many of its rows are different, and so much of what was asked for."""
_ENCODES = "get_dummies"
_BY_ENCODER = frozenset({"fit_transform", "transform", "toarray", "todense"})
_ENCODER = "OneHotEncoder"


class EncodedIdentifiers(NamedTuple):
    """`columns` are the identifiers with their numbers of different values; `place` is the line that keeps them, else
    the one that encodes them."""

    place: Location
    columns: dict[str, int]
    by: str
    changes: list[Change]

    @property
    def words(self) -> str:
        told = ", ".join(f"`{name}` ({many:,})" for name, many in list(self.columns.items())[1:])
        name, many = next(iter(self.columns.items()))
        return f"`{name}` has {many:,} different values, and `{self.by}` makes a column of each" + (
            f"; so it does of {told}" if told else ""
        )

    @property
    def advice(self) -> list[str]:
        names = " and ".join(f"`{name}`" for name in self.columns)
        said = ""
        for edit in self.changes[0].edits[:1] if self.changes else []:
            verb = "add" if edit.start == edit.end else "write"
            said = f" ({verb} `{edit.text.removeprefix(', ')}` on {words_at(edit.file, edit.start[0])})"
        return [f"Drop {names} before encoding{said}: what differs from row to row says nothing of other rows."]


def encoded_identifiers(case: Case, asked: list[int]) -> EncodedIdentifiers | None:
    """Where the failing statement encodes a table; `asked` is the shape that was refused."""
    found = failing(case)
    if found is None or len(asked) != 2:
        return None
    call = _encoding(found)
    if call is None or not call.args:
        return None
    counted = _counted(found, call.args[0])
    columns = {name: many for name, many in counted.items() if many >= LIKE * asked[0]}
    if not any(LIKE * asked[1] <= many <= asked[1] + 1 for many in columns.values()):
        return None
    by = _ENCODES if callee(call) == _ENCODES else _ENCODER
    line, change = _change(found, call, list(columns))
    changes = [change] if change is not None else []
    return EncodedIdentifiers(found.located(*line), columns, by, changes)


def _encoding(found: Failing) -> ast.Call | None:
    calls = [one for one in found.expressions if isinstance(one, ast.Call)]
    named = [one for one in calls if callee(one) == _ENCODES]
    if named or not any(callee(one) == _ENCODER for _, one in across(found.sources, ast.Call)):
        return named[0] if named else None
    return next((one for one in calls if callee(one) in _BY_ENCODER and one.args), None)


def _counted(found: Failing, table: ast.expr) -> dict[str, int]:
    """The different values in the columns of what is encoded; of several columns that are taken out of a table, of
    those."""
    name = root_name(table)
    known = next((one.distinct for one in found.data if one.text == name and one.distinct), {})
    if not isinstance(table, ast.Subscript) or not isinstance(table.slice, ast.List):
        return known
    taken = {one.value for one in table.slice.elts if isinstance(one, ast.Constant)}
    return {column: many for column, many in known.items() if column in taken}


def _change(found: Failing, call: ast.Call, names: list[str]) -> tuple[tuple[str, int], Change | None]:
    """Where the columns are left out, and how: with others that are dropped, else where the table is made, else in the
    call."""
    at, edits = _left_out(found, call, names)
    place = (at.file, at.line) if at is not None else (found.place.file, found.place.line)
    if not edits or not found.is_editable(place[0]):
        return place, None
    told = " and ".join(f"`{name}`" for name in names)
    return place, Change(title=f"Drop {told}", kind="columns", edits=[*edits, *_unnamed(found, call, names)])


def _left_out(found: Failing, call: ast.Call, names: list[str]) -> tuple[Step | None, list[Edit]]:
    table, file = call.args[0], found.place.file
    if isinstance(table, ast.Subscript) and isinstance(table.slice, ast.List):
        return None, _without(found, file, [table.slice], names)
    if not isinstance(table, ast.Name):
        return None, []
    steps = found.trails.trail(file, found.place.line, table)
    for step in steps:
        for drop in walk(step.value, ast.Call):
            listed = passed_argument(drop, "columns") if callee(drop) == "drop" else None
            if isinstance(listed, ast.List | ast.Constant):
                return step, [_added(found, step.file, listed, names)]
    right = f".drop(columns={_list(names)})"
    if steps and isinstance(steps[0].value, ast.Call) and not (steps[0].in_loop or steps[0].place):
        first = steps[0]
        if not first.is_passed:
            end = end_of(found.sources[first.file], first.value)
            return None, [Edit(first.file, end, end, right)]
    return None, [over(found.sources[file], file, table, table.id + right)]


def _added(found: Failing, file: str, listed: ast.List | ast.Constant, names: list[str]) -> Edit:
    source = found.sources[file]
    text = written_in(source, listed)
    if isinstance(listed, ast.Constant):
        return over(source, file, listed, f"[{text}, {_list(names)[1:]}")
    if not listed.elts:
        return over(source, file, listed, _list(names))
    end = end_of(source, listed.elts[-1])
    return Edit(file, end, end, f", {_list(names)[1:-1]}")


def _unnamed(found: Failing, call: ast.Call, names: list[str]) -> list[Edit]:
    """A written list of the columns to encode without those that are gone."""
    given = passed_argument(call, "columns")
    file = found.place.file
    if isinstance(given, ast.Name):
        steps = found.trails.trail(file, found.place.line, given)
        if not steps:
            return []
        file, given = steps[0].file, steps[0].value
    return _without(found, file, [given], names) if isinstance(given, ast.List) else []


def _without(found: Failing, file: str, lists: Iterable[ast.List], names: list[str]) -> list[Edit]:
    source = found.sources[file]
    edits = []
    for one in lists:
        kept = [part for part in one.elts if getattr(part, "value", None) not in names]
        if 0 < len(kept) < len(one.elts):
            edits.append(over(source, file, one, f"[{', '.join(written_in(source, part) for part in kept)}]"))
    return edits


def _list(names: list[str]) -> str:
    return f"[{', '.join(repr(name) for name in names)}]"
