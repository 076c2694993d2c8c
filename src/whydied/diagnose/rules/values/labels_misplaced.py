"""A list of column names stands in brackets again, or the name of a column is looked for among the rows.

## What it detects
A `KeyError` of pandas where the failing statement passes `[names]`, and `names` is a list or tuple itself; or where
`drop` is given a name that is one of the columns, without `axis=1`.

## Why it happens
`table.drop(columns=[names])` and `table[[names]]` ask for one column whose name is the list. `table.drop(name)` drops
rows.

## Evidence
The type of the name in the brackets, or the columns of the table, recorded at the exception.

## How it is proved
It was seen to be a list or tuple, or to be among the columns: certain.

## Fix
Without the brackets; a tuple as a list; `axis=1`.

## Known problems
None known.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, failing
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.calls import method_calls
from whydied.source.edits.call_edits import add_argument
from whydied.source.edits.edit import Change, over
from whydied.source.trees import walk, written

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    found = failing(case, "KeyError")
    if found is None:
        return None
    dropped = _dropped(found)
    if dropped is not None:
        return dropped
    for node in found.expressions:
        inner = node.elts[0] if isinstance(node, ast.List) and len(node.elts) == 1 else None
        text = written(inner) if isinstance(inner, ast.Name | ast.Attribute | ast.Subscript) else ""
        one = (found.looked(text) or found.operand(text)) if text else None
        if one is None or one.type not in ("list", "tuple"):
            continue
        right = text if one.type == "list" else f"list({text})"
        source = found.sources[found.place.file]
        edit = over(source, found.place.file, node, right)
        return Finding(
            message=f"{prefix(found.place)}`[{text}]` is a list with one item, the {one.type} `{text}`: pandas takes "
            "that for one name",
            certainty="certain",
            location=found.place,
            culprit=Culprit(kind="expression", name=f"[{text}]"),
            evidence=[said(found.link)],
            advice=[f"Write `{right}` instead of `[{text}]`."],
            changes=[Change(title=f"Write `{right}`", kind="expression", edits=[edit])]
            if found.is_editable(found.place.file)
            else [],
        )
    return None


def _dropped(found: Failing) -> Finding | None:
    """A column that `drop` looks for among the rows."""
    for owner, call in method_calls(found.expressions, ("drop",)):
        table = found.looked(written(owner))
        words = {one.arg for one in call.keywords}
        if table is None or not call.args or len(call.args) > 1 or words & {"axis", "columns", "index"}:
            continue
        names = [one.value for one in walk(call.args[0], ast.Constant) if isinstance(one.value, str)]
        if not names or not all(name in table.columns for name in names):
            continue
        edit = add_argument(found.sources[found.place.file], found.place.file, call, "axis=1")
        name = names[0]
        return Finding(
            message=f"{prefix(found.place)}{name!r} is a column of `{written(owner)}`, and `drop` looks for it among "
            "the rows",
            certainty="certain",
            location=found.place,
            culprit=Culprit(kind="column", name=name),
            evidence=[said(found.link)],
            advice=[f"Write `{written(call.func)}({written(call.args[0])}, axis=1)`."],
            changes=[Change(title="Add `axis=1`", kind="argument", edits=[edit])]
            if edit is not None and found.is_editable(found.place.file)
            else [],
        )
    return None
