"""Columns of texts are among the data that must be numbers.

## What it detects
Keras, TensorFlow, NumPy or pandas refusing to make numbers of an array or a table, of which a column holds texts.

## Why it happens
A column of names, dates or categories was left among the features; numbers with a decimal comma, a currency sign or a
header in the middle of a file are read as texts; one such column makes the whole array one of Python objects.

## Evidence
The columns that hold texts, with an example, recorded at the exception; the line that chose the columns or read the
file, followed through the source.

## How it is proved
The texts were seen in the data that were refused: certain. Which line should have left them out is an inference, and
the line is the one that makes the features.

## Fix
`decimal=","` where the numbers have commas; else encode the named columns, or leave them out.

## Known problems
Of a large table only the first 2,000 rows are read.
"""

from __future__ import annotations

import ast

import msgspec

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, fact, failing, words_at
from whydied.diagnose.errors.framework_error import framework_error
from whydied.diagnose.errors.model_ends import is_text, takes_text
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding, Location
from whydied.records import DataLooked, TextsHeld
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import set_argument
from whydied.source.edits.edit import Change, over
from whydied.source.origins.trails import Step
from whydied.source.trees import across, written
from whydied.texts import estimators, python_errors, shapes_and_types
from whydied.texts.entry import any_of

ROLE = "explanation"
YIELDS_TO = ("fitted-on-others", "texts-in-array")
_REFUSED = any_of(
    python_errors.NO_FLOAT,
    python_errors.NO_INTEGER,
    shapes_and_types.INVALID_DTYPE,
    shapes_and_types.ARRAY_OF_OBJECTS,
)
_READERS = frozenset({"read_csv", "read_table", "read_excel", "read_json", "genfromtxt", "loadtxt", "DataFrame"})
_MOST = 0.5


def check(case: Case) -> Finding | None:
    found = failing(case)
    if found is not None and estimators.STR_AND_NUMBER.search(found.link.message):
        return _in_sum(found)
    if found is None or found.link.type not in ("ValueError", "TypeError") or not _REFUSED.search(found.link.message):
        return None
    error = framework_error(case)
    if error is not None and takes_text(error) and not any(is_text(one) for one in error.of_role("y")):
        return None
    # What the failing statement does not use may hold texts without any harm.
    used = [one for one in found.data if found.expression(one.text) is not None]
    data = next((one for one in used or found.data if one.texts), None)
    if data is None:
        return None
    steps = _steps(found, data)
    named = _named(found, data)
    commas = sum(one.commas for one in named.texts) > _MOST * sum(one.count for one in named.texts)
    reader = _reader(found, steps)
    if commas and reader is not None:
        return _with_commas(found, data, named, reader)
    return _with_texts(found, data, named, steps)


def _in_sum(found: Failing) -> Finding | None:
    """A column of texts and a number, or a column of numbers and a text, on two sides of an operator."""
    for node in [one for one in found.expressions if isinstance(one, ast.BinOp)]:
        for side, other in ((node.left, node.right), (node.right, node.left)):
            column = _column_of(found, side)
            operand = found.operand(written(other))
            is_text = isinstance(other, ast.Constant) and isinstance(other.value, str)
            is_text = is_text or (operand is not None and operand.type == "str")
            is_number = isinstance(other, ast.Constant) and isinstance(other.value, int | float)
            is_number = is_number or (operand is not None and operand.type in ("int", "float"))
            if column is None or not (is_text or is_number):
                continue
            name, held = column
            if is_text and held is None:
                words, right = f"`{written(side)}` holds numbers", f"{written(side)}.astype(str)"
            elif is_number and held is not None and held.numbers == held.count:
                words = f"`{written(side)}` holds numbers written as texts, such as {held.example!r}"
                right = f"{written(side)}.astype({'float' if '.' in held.example else 'int'})"
            else:
                continue
            edit = over(found.sources[found.place.file], found.place.file, side, right)
            kind = "a text" if is_text else "a number"
            return Finding(
                message=f"{prefix(found.place)}{words}, and `{written(other)}` is {kind}",
                certainty="certain",
                location=found.place,
                culprit=Culprit(kind="column", name=name),
                evidence=[said(found.link)],
                advice=[f"Write `{right}`."],
                changes=[Change(title=f"Write `{right}`", kind="expression", edits=[edit])]
                if found.is_editable(found.place.file)
                else [],
            )
    return None


def _column_of(found: Failing, node: ast.expr) -> tuple[str, TextsHeld | None] | None:
    """The column of a table that an expression is, and the texts in it."""
    if not isinstance(node, ast.Subscript):
        return None
    table = found.looked(written(node.value))
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    operand = found.operand(written(node.slice))
    name = key if isinstance(key, str) else (operand.value or "")[1:-1] if operand is not None else ""
    if table is not None and not name and not table.texts and table.columns:
        return written(node.slice), None
    if table is None or name not in table.columns:
        return None
    return name, next((one for one in table.texts if one.column == name), None)


def _steps(found: Failing, data: DataLooked) -> list[Step]:
    node = found.expression(data.text)
    return found.trails.trail(found.place.file, found.place.line, node) if node is not None else []


def _named(found: Failing, data: DataLooked) -> DataLooked:
    """The same columns in a table, which has names for them: one with as many columns and texts in the same
    ones, or with the same texts."""
    if any(not one.column.isdigit() and one.column for one in data.texts):
        return data
    places = [int(one.column) for one in data.texts if one.column.isdigit()]
    examples = [one.example for one in data.texts]
    for table in [one for one in found.data if one.columns]:
        names = {one.column for one in table.texts}
        as_wide = table.shape is not None and data.shape is not None and table.shape[1:] == data.shape[1:]
        same = as_wide and [at for at, name in enumerate(table.columns) if name in names] == places
        if places and (same or [one.example for one in table.texts] == examples):
            return table
    return data


def _reader(found: Failing, steps: list[Step]) -> tuple[str, ast.Call] | None:
    for step in steps:
        if isinstance(step.value, ast.Call) and callee(step.value) in _READERS:
            return step.file, step.value
    reads = [one for one in across(found.sources, ast.Call) if callee(one[1]) in ("read_csv", "read_table")]
    return reads[0] if len(reads) == 1 else None


def _finding(found: Failing, data: DataLooked, named: DataLooked, place: Location, words: str, advice: str) -> Finding:
    first = named.texts[0]
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="column", name=first.column or data.text, value=first.example),
        evidence=[
            said(found.link),
            fact("texts in", ", ".join(f"{_column(one)} ({one.example!r})" for one in named.texts[:6])),
        ],
        advice=[advice],
    )


def _column(one: TextsHeld) -> str:
    return f"column {one.column}" if one.column.isdigit() else f"`{one.column}`" if one.column else "it"


def _with_commas(found: Failing, data: DataLooked, named: DataLooked, reader: tuple[str, ast.Call]) -> Finding:
    file, call = reader
    place = found.located(file, call.lineno)
    example = next(one.example for one in named.texts if one.commas)
    words = (
        f"the numbers have decimal commas ({example!r}), so {_listed(named)} are read as texts; "
        f"{words_at(found.place.file, found.place.line)} needs numbers"
    )
    finding = _finding(found, data, named, place, words, f'Read them with `{written(call.func)}(…, decimal=",")`.')
    if not found.is_editable(file) or passed_argument(call, "decimal") is not None:
        return finding
    edit = set_argument(found.sources[file], file, call, "decimal", None, '","')
    if edit is None:
        return finding
    changes = [Change(title='Add `decimal=","`', kind="argument", edits=[edit])]
    return msgspec.structs.replace(finding, changes=changes)


def _listed(named: DataLooked) -> str:
    words = [_column(one) for one in named.texts]
    return ", ".join(words[:4]) + (f" and {len(words) - 4} more" if len(words) > 4 else "")


def _with_texts(found: Failing, data: DataLooked, named: DataLooked, steps: list[Step]) -> Finding:
    chosen = _chosen(found, steps)
    place = found.located(*chosen) if chosen is not None else found.place
    at = f", and {words_at(found.place.file, found.place.line)} needs numbers" if place != found.place else ""
    columns = [one.column for one in named.texts if one.column and not one.column.isdigit()]
    numbers = [one for one in named.texts if one.numbers == one.count]
    verb = "holds" if len(named.texts) == 1 else "hold"
    first = named.texts[0]
    words = f"{_listed(named)} of `{data.text}` {verb} texts, such as {first.example!r}{at}"
    if not first.column:
        words = f"`{data.text}` holds texts, such as {first.example!r}{at}"
    if len(numbers) == len(named.texts):
        advice = 'They are numbers written as texts: convert them with `.astype("float32")`.'
    elif any(one.numbers for one in named.texts):
        odd = next(one for one in named.texts if one.numbers)
        advice = (
            f"{odd.numbers:,} of the {odd.count:,} texts in {_column(odd)} are numbers: fix or drop the others "
            f'({odd.example!r}), then convert it with `.astype("float32")`.'
        )
    elif columns:
        names = ", ".join(repr(one) for one in columns[:6])
        advice = (
            f'Encode these columns as numbers (`pd.get_dummies(table, columns=[{names}], dtype="float32")`), or leave '
            f"them out of the features."
        )
    else:
        advice = "Encode these texts as numbers before they are given to the model, or leave them out."
    return _finding(found, data, named, place, words, advice)


def _chosen(found: Failing, steps: list[Step]) -> tuple[str, int] | None:
    """The statement that makes the features of the table: the last one before the line that reads or makes the table
    itself."""
    last: Step | None = None
    for step in steps:
        if isinstance(step.value, ast.Call) and callee(step.value) in _READERS:
            break
        if not step.is_passed:
            last = step
    return (last.file, last.line) if last is not None else None
