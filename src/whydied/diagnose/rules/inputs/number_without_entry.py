"""A number is looked up in a dictionary whose keys are other whole numbers.

## What it detects
A `KeyError` of a whole number in a dictionary whose keys are whole numbers from another range: most often 0, where the
words are numbered from 1.

## Why it happens
`Tokenizer` and many programs number words from 1 and keep 0 for padding. A softmax over all numbers has a column for 0
too, so `argmax` can choose it, and `reverse_word_index[0]` is not there.

## Evidence
The number and the range of the dictionary's keys, recorded at the exception; the line that made the number.

## How it is proved
The number lies outside of the range: certain. Where it was chosen by an `argmax`, the line of that is told.

## Fix
An entry for the number, `get` with a text for it, or a choice among the columns that have an entry.

## Known problems
Keys with gaps between them are not told.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over
from whydied.source.origins.trails import Step
from whydied.source.trees import walk, written

ROLE = "explanation"
_NUMBER = re.compile(r"(?:np\.u?int\d+\()?(-?\d+)\)?")
_CHOOSING = ("argmax", "argmin", "argsort", "choice", "sample", "multinomial", "categorical")


def check(case: Case) -> Finding | None:
    found = failing(case, "KeyError")
    told = _NUMBER.fullmatch(found.link.wanted or found.link.message) if found is not None else None
    if found is None or told is None:
        return None
    number = int(told[1])
    for node in found.expressions:
        known = found.looked(written(node.value)) if isinstance(node, ast.Subscript) else None
        if not isinstance(node, ast.Subscript) or known is None or known.type != "dict":
            continue
        lowest, highest = known.labels_lowest, known.labels_highest
        if lowest is not None and highest is not None and not lowest <= number <= highest:
            return _finding(found, node, number, lowest, highest)
    return None


def _finding(found: Failing, node: ast.Subscript, number: int, lowest: int, highest: int) -> Finding:
    text, key = written(node.value), written(node.slice)
    chosen = _chosen(found, node.slice)
    where = found.located(chosen.file, chosen.line) if chosen is not None else found.place
    by = f"`{written(chosen.value)}` chose {number}, and" if chosen is not None else f"`{key}` is {number}, and"
    padding = "; 0 is usually the padding, which has no word" if number == 0 and lowest == 1 else ""
    right = f'{text}.get({key}, "")'
    edit = over(found.sources[found.place.file], found.place.file, node, right)
    advice = f"Write `{right}` ({words_at(found.place.file, found.place.line)}), or give {number} an entry"
    advice += f", or choose among the numbers from {lowest} on." if chosen is not None and number < lowest else "."
    held = found.looked(text)
    texts = held is not None and any(kind.words.startswith("str") for kind in held.held)
    return Finding(
        message=f"{prefix(where)}{by} `{text}` has the keys {lowest} to {highest}{padding}",
        certainty="certain",
        location=where,
        culprit=Culprit(kind="key", name=str(number), near=[]),
        evidence=[
            said(found.link),
            Evidence(fact=f"keys of `{text}`", value=f"{lowest} to {highest}", source="DataLooked"),
        ],
        advice=[advice],
        changes=[Change(title=f"Write `{right}`", kind="expression", edits=[edit])]
        if texts and found.is_editable(found.place.file)
        else [],
    )


def _chosen(found: Failing, key: ast.expr) -> Step | None:
    """Where the number was chosen among others."""
    for step in found.trails.trail(found.place.file, found.place.line, key):
        if any(callee(call) in _CHOOSING for call in walk(step.value, ast.Call)):
            return step
    return None
