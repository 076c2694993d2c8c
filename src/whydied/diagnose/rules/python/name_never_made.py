"""The program uses a name that no line of it makes, for a value that it has under another name.

## What it detects
A NameError for a name that the program never assigns, imports or defines, while exactly one living value fits the
failing line: it has the attribute or column that the line uses, and its name shares a word, or nothing else fits.

## Why it happens
A variable was renamed in some places only, or a line or cell was taken over from another program.

## Evidence
What the failing line asks of the name, the value that has it, and the line that made that.

## How it is proved
That no line makes the name is a fact; that the other value was meant is an inference: likely.

## Fix
The other name, in the statement or wherever the file reads the missing one.

## Known problems
Names that are made by `exec`, `globals()` or `%run` are not seen.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.near_edits import near_changes
from whydied.diagnose.errors.usage import place_of, root_link, said
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.source.bindings import cell_number
from whydied.source.trees import across, located

ROLE = "explanation"
YIELDS_TO = ("cells-out-of-order", "name-made-below")


def check(case: Case) -> Finding | None:
    link = root_link(case)
    place = place_of(case)
    if link is None or place is None or link.type != "NameError" or not link.wanted or not link.holder:
        return None
    if not link.near or _is_made(case, link.wanted):
        return None
    other = link.near[0]
    made = _made(case, other)
    where = f" ({line_words(made)})" if made is not None else ""
    unit = "cell" if cell_number(place.file) is not None else "line"
    return Finding(
        message=f"{prefix(place)}no {unit} makes `{link.wanted}`; `{other}`{where} has `{link.holder}`",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="name", name=link.wanted, near=link.near),
        evidence=[
            said(link),
            Evidence(fact=f"has `{link.holder}`", value=", ".join(link.near), source="ExceptionRaised"),
        ],
        advice=[f"Write `{other}` instead of `{link.wanted}`."],
        changes=near_changes(case, link, place),
    )


def _is_made(case: Case, name: str) -> bool:
    stored = any(node.id == name and not isinstance(node.ctx, ast.Load) for _, node in across(case.sources, ast.Name))
    imported = any((one.asname or one.name) in (name, "*") for _, one in across(case.sources, ast.alias))
    functions = any(node.name == name for _, node in across(case.sources, ast.FunctionDef))
    return stored or imported or functions or any(node.name == name for _, node in across(case.sources, ast.ClassDef))


def _made(case: Case, name: str) -> Location | None:
    """The last line that makes a name."""
    found = [
        (file, node.lineno)
        for file, node in across(case.sources, ast.Name)
        if node.id == name and isinstance(node.ctx, ast.Store)
    ]
    return located(case.sources, *found[-1]) if found else None
