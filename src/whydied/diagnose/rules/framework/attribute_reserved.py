"""An attribute of the program's own class has the name of a property of its parent, which cannot be set.

## What it detects
An `AttributeError` at `self.name = …` in a class that derives from a library's: `self.output` in a Keras model,
`self.metrics`, `self.input`, `self.variables`.

## Why it happens
The parent class has a property of that name without a setter. It looks like a free name where the class is written.

## Evidence
The exception names the property and the class; the source has the class and what it derives from.

## How it is proved
Python says so: certain.

## Fix
Another name, at each place where the class uses it.

## Known problems
Uses from outside of the class are not renamed.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.usage import place_of, root_link, said, text_of
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.edits.edit import Change, over
from whydied.source.trees import around, walk
from whydied.texts import python_errors

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    link, place = root_link(case), place_of(case)
    told = python_errors.NO_SETTER.pattern.search(text_of(link)) if link is not None else None
    source = case.sources.get(place.file) if place is not None else None
    if link is None or place is None or told is None or source is None or link.type != "AttributeError":
        return None
    name = told["name"]
    classes = [one for one in around(source.tree, place.line, ast.ClassDef) if one.bases]
    uses = [one for one in walk(classes[-1], ast.Attribute) if _is_own(one, name)] if classes else []
    here = any(
        isinstance(one.ctx, ast.Store) and place.line <= one.lineno <= (place.end_line or place.line) for one in uses
    )
    if not here:
        return None
    parent, other = ast.unparse(classes[-1].bases[0]), f"own_{name}"
    edits = [over(source, place.file, one, f"self.{other}") for one in uses]
    return Finding(
        message=f"{prefix(place)}`{name}` is a property of `{parent}`, which `{classes[-1].name}` derives from, and "
        "cannot be set",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="attribute", name=f"self.{name}"),
        evidence=[said(link)],
        advice=[f"Use another name, such as `self.{other}`, here and wherever the class uses it."],
        changes=[Change(title=f"Rename `self.{name}` to `self.{other}`", kind="name", edits=edits, harm="exact")],
    )


def _is_own(node: ast.Attribute, name: str) -> bool:
    return node.attr == name and isinstance(node.value, ast.Name) and node.value.id == "self"
