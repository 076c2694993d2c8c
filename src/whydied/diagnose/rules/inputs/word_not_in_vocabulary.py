"""A word of the data is not in the dictionary that numbers the words.

## What it detects
A `KeyError` of a text that a loop over data gave, in a dictionary whose values are whole numbers.

## Why it happens
The dictionary was made of the training texts, and other texts have other words.

## Evidence
The word and the dictionary with its numbers, recorded at the exception.

## How it is proved
The word is not among the keys, and comes out of a loop. That the dictionary numbers words is an inference: likely.

## Fix
`get` with the number for unknown words, which must be one that no word has.

## Known problems
Where 0 is the number of a word, the advice is a number of its own for unknown words.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over
from whydied.source.origins.trails import Step
from whydied.source.trees import walk, written

ROLE = "explanation"
YIELDS_TO = ("json-keys-are-texts",)
_FEW = 30


def check(case: Case) -> Finding | None:
    found = failing(case, "KeyError")
    if found is None or (found.link.wanted or "")[:1] not in ("'", '"'):
        return None
    for node in found.expressions:
        if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Name):
            continue
        text = written(node.value)
        known = found.looked(text)
        if known is None or known.type != "dict" or known.lowest is None or len(known.held) != 1:
            continue
        steps = found.trails.trail(found.place.file, found.place.line, node.slice)
        if found.link.near and (known.length or 0) <= _FEW and not _is_of_a_text(steps):
            # Of a few names one that looks like it is what was meant.
            continue
        if not any(step.in_loop for step in steps[:1]):
            continue
        made = found.trails.trail(found.place.file, found.place.line, node.value)
        at = f" ({words_at(made[0].file, made[0].line)})" if made and not made[0].is_passed else ""
        free = known.lowest > 0
        number = "0" if free else f"{text}[…]"
        right = f"{text}.get({written(node.slice)}, 0)"
        edit = over(found.sources[found.place.file], found.place.file, node, right)
        advice = f"Write `{right}`: no word has the number 0." if free else ""
        return Finding(
            message=f"{prefix(found.place)}the word {found.link.wanted} is not among the {known.length or 0:,} of "
            f"`{text}`{at}",
            certainty="likely",
            location=found.place,
            culprit=Culprit(kind="key", name=(found.link.wanted or "")[1:-1], near=[]),
            evidence=[said(found.link)],
            advice=[
                advice or f"Give unknown words a number of their own in `{text}`, and use it with `get` ({number})."
            ],
            changes=[Change(title=f"Write `{right}`", kind="expression", edits=[edit])]
            if free and found.is_editable(found.place.file)
            else [],
        )
    return None


def _is_of_a_text(steps: list[Step]) -> bool:
    """Whether a word was split off a text: no name that was misspelt."""
    return any(
        callee(call) in ("split", "word_tokenize", "tokenize") for step in steps for call in walk(step.value, ast.Call)
    )
