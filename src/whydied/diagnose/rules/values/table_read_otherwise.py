"""The columns of a table are named otherwise than the program asks, because of how its file was read.

## What it detects
A `KeyError` of a column that the table has with spaces around its name; that is part of the only column's name, with a
separator in it; or that is asked of a table whose columns are only numbered.

## Why it happens
A space after each comma of a file belongs to the name; a file with semicolons, read with commas, is one wide column;
`header=None` numbers the columns.

## Evidence
The names of the columns at the failure, recorded; the line that reads the file, followed through the source.

## How it is proved
The names were seen: certain.

## Fix
`skipinitialspace=True`, `sep=";"`, `names=[…]` where the file is read.

## Known problems
Where no line that reads the file is found, the failing line is told.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, fact, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import DataLooked
from whydied.source.calls import callee, method_calls, passed_argument
from whydied.source.edits.call_edits import set_argument
from whydied.source.edits.edit import Change, line_before
from whydied.source.trees import across, written

ROLE = "explanation"
_READERS = ("read_csv", "read_table", "read_excel")
_ASKING = ("drop", "pop", "get", "set_index", "groupby")
_SEPARATORS = (";", "\t", "|", ",")


def check(case: Case) -> Finding | None:
    found = failing(case, "KeyError")
    if found is None:
        return None
    asked = {written(one.value) for one in found.expressions if isinstance(one, ast.Subscript)}
    asked |= {written(owner) for owner, _ in method_calls(found.expressions, _ASKING)}
    for table in [one for one in found.data if one.type.endswith("DataFrame") and one.columns and one.text in asked]:
        for wanted in _wanted(found):
            how = _how(wanted, table.columns)
            if how is not None:
                return _finding(found, table, wanted, *how)
    return None


def _wanted(found: Failing) -> list[str]:
    """The names that the exception speaks of."""
    texts = [one.value for one in found.expressions if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    texts += [one.value[1:-1] for one in found.link.operands if one.value and one.value[:1] in "'\""]
    asked = [text for text in texts if repr(text) in found.link.message]
    wanted = (found.link.wanted or "").strip("'\"")
    return list(dict.fromkeys([*asked, *([wanted] if wanted else [])]))


def _how(wanted: str, columns: list[str]) -> tuple[str, str, str, str] | None:
    """What is wrong in words, the keyword of the reader and its value, and what to do without one."""
    if wanted in columns or not wanted:
        return None
    padded = next((name for name in columns if name.strip() == wanted), None)
    if padded is not None:
        if padded.startswith(" ") and not padded.endswith(" "):
            return f"the column is called {padded!r}, with a space before it", "skipinitialspace", "True", ""
        return (
            f"the column is called {padded!r}, with spaces around it",
            "",
            "",
            "table.columns = table.columns.str.strip()",
        )
    if len(columns) == 1:
        mark = next((one for one in _SEPARATORS if one in columns[0]), None)
        if mark is not None and wanted in [part.strip().strip('"') for part in columns[0].split(mark)]:
            return f"all columns are read as one, {columns[0][:60]!r}", "sep", repr(mark), ""
    if columns == [str(at) for at in range(len(columns))] and not wanted.isdigit():
        return (
            "the columns are numbered, and have no names",
            "",
            "",
            "name the columns with `names=[…]` where it is read",
        )
    return None


def _finding(
    found: Failing, table: DataLooked, wanted: str, words: str, keyword: str, value: str, otherwise: str
) -> Finding:
    reads = [one for one in across(found.sources, ast.Call) if callee(one[1]) in _READERS]
    file, call = reads[0] if len(reads) == 1 else ("", None)
    place = found.located(file, call.lineno) if call is not None else found.place
    at = (
        f" {words_at(found.place.file, found.place.line)} asks for" if place != found.place else " the program asks for"
    )
    advice = f"Read it with `{keyword}={value}`." if keyword else f"Write `{otherwise}`." if "=" in otherwise else ""
    changes: list[Change] = []
    if keyword and call is not None and found.is_editable(file) and passed_argument(call, keyword) is None:
        edit = set_argument(found.sources[file], file, call, keyword, None, value)
        changes = [Change(title=f"Add `{keyword}={value}`", kind="argument", edits=[edit])] if edit is not None else []
    if otherwise.startswith("table.") and table.text.isidentifier():
        otherwise = otherwise.replace("table.", f"{table.text}.")
        advice = f"Write `{otherwise}`."
        if found.is_editable(found.place.file):
            edit = line_before(found.sources[found.place.file], found.place.file, found.place.line, otherwise)
            changes = [Change(title=f"Write `{otherwise}` above it", kind="statement", edits=[edit])]
    return Finding(
        message=f"{prefix(place)}{words};{at} {wanted!r}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="column", name=wanted),
        evidence=[said(found.link), fact(f"columns of `{table.text}`", ", ".join(map(repr, table.columns)))],
        advice=[advice or f"{otherwise[:1].upper()}{otherwise[1:]}."],
        changes=changes,
    )
