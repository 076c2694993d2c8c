"""A loop over a dictionary takes its keys for its items.

## What it detects
A `TypeError` or `AttributeError` of a text (or number) that a loop over a dictionary gave, where the values of the
dictionary are what the loop's body asks.

## Why it happens
A loop over a dictionary gives its keys. The same annotation tool saves a list in one version and a dictionary in
another, and `json.load` gives what is there.

## Evidence
The type of what was looped over and of its values, recorded at the exception.

## How it is proved
The container was seen to be a dictionary, and the item to be one of its keys: certain.

## Fix
`.values()`; the edit is given.

## Known problems
None known.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, failing
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.source.edits.edit import Change, over
from whydied.source.trees import scope_at, tree_of, walk, written

ROLE = "explanation"
_KEYS = ("str", "int")


def check(case: Case) -> Finding | None:
    found = failing(case, "TypeError", "AttributeError")
    if found is None:
        return None
    for node in found.expressions:
        if not isinstance(node, ast.Subscript | ast.Attribute) or not isinstance(node.value, ast.Name):
            continue
        item = found.operand(node.value.id)
        if item is None or item.type not in _KEYS:
            continue
        finding = _looped(found, node.value)
        if finding is not None:
            return finding
    return None


def _looped(found: Failing, name: ast.Name) -> Finding | None:
    steps = found.trails.trail(found.place.file, found.place.line, name)
    step = steps[0] if steps else None
    if step is None or not step.in_loop or step.place:
        return None
    text = written(step.value)
    container = found.looked(text)
    if container is None or container.type != "dict" or not container.held or container.held[0].words == "str":
        return None
    place = found.located(step.file, step.line)
    source = found.sources[step.file]
    scope = scope_at(tree_of(found.sources, step.file), step.line)
    heads: list[ast.For | ast.comprehension] = [*walk(scope, ast.For), *walk(scope, ast.comprehension)]
    loops = [one.iter for one in heads if written(one.iter) == text]
    edits = [over(source, step.file, one, f"{text}.values()") for one in loops]
    return Finding(
        message=f"{prefix(place)}`{text}` is a dictionary, so the loop gives its keys: `{name.id}` is one of these, "
        "and its values are asked",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="expression", name=text),
        evidence=[
            said(found.link),
            Evidence(fact=f"values of `{text}`", value=container.held[0].words, source="DataLooked"),
        ],
        advice=[f"Loop over `{text}.values()`."],
        changes=[Change(title=f"Loop over `{text}.values()`", kind="expression", edits=edits)]
        if found.is_editable(step.file)
        else [],
    )
