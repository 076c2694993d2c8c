"""A list of column names stands in brackets again, so that it is taken for one name.

## What it detects
A `KeyError` of pandas where the failing statement passes `[names]`, and `names` is a list or tuple itself.

## Why it happens
`table.drop(columns=[names])` and `table[[names]]` ask for one column whose name is the list.

## Evidence
The type of the name in the brackets, recorded at the exception.

## How it is proved
It was seen to be a list or tuple: certain.

## Fix
Without the brackets; a tuple as a list.

## Known problems
None known.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import failing
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.edits.edit import Change, over
from whydied.source.trees import written

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    found = failing(case, "KeyError")
    if found is None:
        return None
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
