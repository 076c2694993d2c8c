"""Figures that were never closed pile up.

## What it detects
Pictures, curves and other data in open figures of pyplot that make up a good part of the program's memory.

## Why it happens
`plt.figure()` and `plt.subplots()` make a new figure each time, and pyplot keeps every one of them until it is closed,
also where the program has no variable for it any more and has saved it long ago.

## Evidence
The last census: what is drawn in the open figures, with its bytes. The line is the one that makes a figure.

## How it is proved
Certain where figures hold at least 60 % of what the program held above its libraries, likely from 25 % on; they hold
more than any variable of the program. Below 48 MiB nothing is said.

## Fix
Close each figure when it is saved or shown: `plt.close(figure)`, or `plt.close("all")`.

## Known problems
What a figure was drawn into is native memory, and comes on top of the bytes that are told. Figures that a variable of
the program leads to count to that variable.

## References
matplotlib documentation: pyplot.close.
"""

from __future__ import annotations

import ast

import msgspec

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding, Location
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.unnamed_objects import unnamed
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, written_in
from whydied.source.edits.runs.block_edits import at_end_of_block
from whydied.source.trees import nodes_on

ROOTS = frozenset({"figure"})

ROLE = "memory"
YIELDS_TO = ("kept-by-notebook",)


def check(case: Case) -> Finding | None:
    found = unnamed(case, ROOTS)
    return msgspec.structs.replace(found, changes=_closed(case, found.location)) if found is not None else None


def _closed(case: Case, place: Location | None) -> list[Change]:
    """The figure closed at the end of the loop or function that made it."""
    source = case.sources.get(place.file) if place is not None else None
    made = [node for node in nodes_on(source, place.line) if _makes_figure(node)] if source and place else []
    if source is None or place is None or len(made) != 1 or not isinstance(made[0], ast.Call):
        return []
    pyplot = written_in(source, made[0].func).rpartition(".")[0]
    edit = at_end_of_block(source, place.file, place.line, f"{pyplot}.close()") if pyplot else None
    return change_of("Close the figure once it is drawn", "figure", edit, "exact")


def _makes_figure(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and callee(node) in ("figure", "subplots")
