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

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.diagnose.memory.unnamed_objects import unnamed

ROOTS = frozenset({"figure"})

ROLE = "memory"
YIELDS_TO = ("kept-by-notebook",)


def check(case: Case) -> Finding | None:
    return unnamed(case, ROOTS)
