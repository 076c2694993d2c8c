"""Fewer rows were predicted than there are, because the data set drops its last, smaller batch.

## What it detects
An index beyond the rows that `predict` gave, or rows that are put beside others and are fewer, where the data set
behind the `predict` is batched with `drop_remainder=True`.

## Why it happens
The function that makes the training set is used for the other data, too. In training a dropped batch does no harm; a
prediction is needed for each row.

## Evidence
The rows of the prediction and those that are asked for, recorded; the call of `batch`, followed through the source.

## How it is proved
The rows are a multiple of the batch, and less than one batch is missing: likely.

## Fix
`batch` without `drop_remainder=True` for what is predicted.

## Known problems
A batch size that is computed is not compared.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, fact, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.numbers import constants, evaluate
from whydied.source.origins.trails import Step, loop_around
from whydied.source.trees import tree_of, walk, written
from whydied.texts import estimators

ROLE = "explanation"
_BATCHING = ("batch", "padded_batch")


class Dropped(NamedTuple):
    """`name` has `rows`, given by `predicted`, whose data are batched by `call`; `wanted` are asked for, where that is
    known."""

    name: str
    rows: int
    wanted: int | None
    predicted: Step
    made: Step
    call: ast.Call
    size: int | None


def check(case: Case) -> Finding | None:
    found = failing(case, "IndexError", "ValueError")
    if found is None:
        return None
    for node in found.expressions:
        if isinstance(node, ast.Name | ast.Attribute):
            dropped = _dropped(found, node)
            if dropped is not None:
                return _finding(found, dropped)
    return None


def _dropped(found: Failing, node: ast.expr) -> Dropped | None:
    held = found.operand(written(node)) or found.looked(written(node))
    rows = held.shape[0] if held is not None and held.shape else None
    wanted = _wanted(found, rows) if rows is not None else None
    if rows is None or (wanted is None and not _is_beyond(found, rows)):
        return None
    for predicted in found.trails.trail(found.place.file, found.place.line, node):
        call = predicted.value
        data = passed_argument(call, "0") or passed_argument(call, "x") if isinstance(call, ast.Call) else None
        if not isinstance(call, ast.Call) or callee(call) != "predict" or data is None:
            continue
        begin = Step(predicted.file, predicted.line, data, "")
        for made in (begin, *found.trails.trail(predicted.file, predicted.line, data)):
            for batch in walk(made.value, ast.Call):
                if callee(batch) in _BATCHING and _drops(batch):
                    size = _size(found, made.file, batch)
                    fits = size is None or (rows % size == 0 and (wanted is None or rows < wanted < rows + size))
                    return Dropped(written(node), rows, wanted, predicted, made, batch, size) if fits else None
    return None


def _is_beyond(found: Failing, rows: int) -> bool:
    """Whether the index that was asked for is the first one behind the rows."""
    told = estimators.INDEX_BEYOND.search(found.link.message)
    return told is not None and told["axis"] == "0" and int(told["index"]) == int(told["size"]) == rows


def _wanted(found: Failing, rows: int) -> int | None:
    """How many there are of what the loop around runs over, or of what stands beside the rows: more than these."""
    loop = loop_around(found.sources, found.place.file, found.place.line)
    names = [written(one) for one in walk(loop.iter, (ast.Name, ast.Attribute))] if loop is not None else []
    if found.link.type == "ValueError":
        names = [written(one) for one in found.expressions if isinstance(one, ast.Name | ast.Attribute)]
    for name in names:
        held = found.looked(name)
        length = held.length or (held.shape[0] if held.shape else None) if held is not None else None
        if length is not None and length > rows:
            return length
    return None


def _drops(call: ast.Call) -> bool:
    given = passed_argument(call, "drop_remainder") or passed_argument(call, "1")
    return isinstance(given, ast.Constant) and given.value is True


def _size(found: Failing, file: str, call: ast.Call) -> int | None:
    given = passed_argument(call, "0") or passed_argument(call, "batch_size")
    size = evaluate(given, constants(tree_of(found.sources, file))) if given is not None else None
    return int(size) if size else None


def _finding(found: Failing, one: Dropped) -> Finding:
    where = found.located(one.made.file, one.call.lineno)
    at = words_at(found.place.file, found.place.line)
    there = f" of {one.wanted}" if one.wanted is not None else ""
    left = f": {one.wanted - one.rows} rows are left out" if one.wanted is not None else ""
    by = f" ({one.rows} = {one.rows // one.size} × {one.size})" if one.size else ""
    source = found.sources[one.made.file]
    kept: list[ast.expr | ast.keyword] = [
        *one.call.args,
        *(word for word in one.call.keywords if word.arg != "drop_remainder"),
    ]
    if passed_argument(one.call, "1") is not None and len(one.call.args) > 1:
        kept = [part for part in kept if part is not one.call.args[1]]
    func = one.call.func.attr if isinstance(one.call.func, ast.Attribute) else callee(one.call)
    right = f"{func}({', '.join(written_in(source, part) for part in kept)})"
    changes = []
    if found.is_editable(one.made.file) and isinstance(one.call.func, ast.Attribute):
        text = f"{written_in(source, one.call.func.value)}.{right}"
        edit = over(source, one.made.file, one.call, text)
        changes = [Change(title=f"Write `{right}`", kind="argument", edits=[edit])]
    by_call = words_at(one.predicted.file, one.predicted.line)
    return Finding(
        message=f"{prefix(where)}`drop_remainder=True` drops the last batch of what is predicted on {by_call}, so "
        f"`{one.name}` on {at} has {one.rows} rows{there}{by}{left}",
        certainty="likely",
        location=where,
        culprit=Culprit(kind="argument", name="drop_remainder", value="True"),
        evidence=[said(found.link), fact(f"rows of `{one.name}`", str(one.rows))],
        advice=[f"Leave `drop_remainder=True` out for the data that are predicted: `{right}`."],
        changes=changes,
    )
