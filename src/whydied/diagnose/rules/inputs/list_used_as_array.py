"""A list is used as if it were an array.

## What it detects
A `TypeError` where a list or tuple is asked for several positions at once (`labels[rows]`, `rows[:, 0]`) or computed
with (`values / 255.0`).

## Why it happens
NumPy arrays do that, lists do not; both print alike.

## Evidence
The types on the failing line, recorded at the exception.

## How it is proved
The value was seen to be a list, and the line does with it what only an array can do: certain.

## Fix
`np.array(…)` around it; the edit is given.

## Known problems
None known.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.bindings import bindings
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over
from whydied.source.trees import written
from whydied.texts import python_errors

ROLE = "explanation"
_LISTS = ("list", "tuple")
_ARRAYS = ("ndarray", "Series", "Index", "list", "tuple")


def check(case: Case) -> Finding | None:
    found = failing(case, "TypeError")
    if found is None:
        return None
    if python_errors.NOT_ASSIGNABLE.search(found.link.message):
        return _fixed(found)
    for node in found.expressions:
        if isinstance(node, ast.Subscript) and _is(found, node.value, _LISTS):
            if isinstance(node.slice, ast.Tuple):
                return _finding(found, node.value, "is asked for rows and columns", node)
            if _is(found, node.slice, _ARRAYS):
                return _finding(found, node.value, f"is asked for all positions of `{written(node.slice)}`", node)
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add | ast.Mult):
            for side in (node.left, node.right):
                if _is(found, side, _LISTS):
                    return _finding(found, side, f"is computed with in `{written(node)}`", node)
    return None


def _fixed(found: Failing) -> Finding | None:
    """A range or tuple that is to be shuffled in place."""
    for call in [
        one for one in found.expressions if isinstance(one, ast.Call) and callee(one) == "shuffle" and one.args
    ]:
        one = found.operand(written(call.args[0]))
        steps = found.trails.trail(found.place.file, found.place.line, call.args[0])
        if one is None or one.type not in ("range", "tuple") or not steps:
            continue
        step = steps[0]
        place = found.located(step.file, step.line)
        right = f"list({written(step.value)})"
        edit = over(found.sources[step.file], step.file, step.value, right)
        return Finding(
            message=f"{prefix(place)}`{one.text}` is a {one.type}, whose items cannot be set, and "
            f"{words_at(found.place.file, found.place.line)} shuffles it",
            certainty="certain",
            location=place,
            culprit=Culprit(kind="expression", name=one.text),
            evidence=[said(found.link)],
            advice=[f"Write `{right}`."],
            changes=[Change(title=f"Write `{right}`", kind="expression", edits=[edit])]
            if found.is_editable(step.file)
            else [],
        )
    return None


def _is(found: Failing, node: ast.expr, types: tuple[str, ...]) -> bool:
    one = found.operand(written(node)) or found.looked(written(node))
    return one is not None and one.type.rpartition(".")[2] in types


def _finding(found: Failing, node: ast.expr, words: str, whole: ast.expr) -> Finding:
    text = written(node)
    one = found.operand(text) or found.looked(text)
    kind = one.type if one is not None else "list"
    right = f"np.array({text})"
    source = found.sources[found.place.file]
    shown = written(whole).replace(text, right, 1)
    imported = bool(bindings("np", source.tree))
    edit = over(source, found.place.file, node, right)
    return Finding(
        message=f"{prefix(found.place)}`{text}` is a {kind}, and it {words}: only an array can do that",
        certainty="certain",
        location=found.place,
        culprit=Culprit(kind="expression", name=text),
        evidence=[said(found.link)],
        advice=[f"Write `{shown}`."],
        changes=[Change(title=f"Write `{right}`", kind="expression", edits=[edit])]
        if imported and found.is_editable(found.place.file)
        else [],
    )
