"""Plain Python objects pile up in a container.

## What it detects
A Python container (list, dict, set, deque) or text that makes up most of the memory of the program.

## Why it happens
Records, strings or nested lists are collected and never let go.

## Evidence
The census that the recorder took when memory reached a milestone (40, 60, 75, 85 and 92 % of the limit, or
strong growth): live objects by type, shape and dtype with their bytes, and for the large groups the path from
a variable, attribute or closure to them. The last census is used and its age is stated; where the last two
show that this holder took the growth, its bytes are carried on to the end of the run. The line is the
statement that fills the holder.

## How it is proved
Certain where the holder makes up at least 60 % of what the program held above its libraries; likely from 25 %
on. Below 48 MiB, or with fewer than three objects, nothing is said: lists of a few small tensors are in every
program.

## Fix
Keep only what is needed, write it out, or use arrays instead of lists of numbers.

## Known problems
Objects that only native code holds are not seen. A holder that is reached by several names is named by the
shortest.

## References
None.
"""

from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.diagnose.held import finding_of, kept

KINDS = ("container", "text", "object")
ADVICE = [
    "Keep only what is needed, write the rest out, or use an array instead of a list of Python numbers.",
]


def check(case: Case) -> Finding | None:
    found = kept(case, KINDS)
    return finding_of(case, found, "object", ADVICE) if found else None
