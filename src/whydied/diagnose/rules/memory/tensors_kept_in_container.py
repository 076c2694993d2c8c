"""Tensors are kept in a list, dict, attribute or closure, and pile up.

## What it detects
A container or attribute through which the program keeps so many eager tensors that they make up most of its
memory.

## Why it happens
Losses, predictions, gradients or activations are appended for every step, and nothing lets them go. A tensor
keeps its whole buffer alive.

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
Keep numbers instead of tensors (`float(loss)`), keep only the last few, or write them to disk.

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

KINDS = ("tensor",)
ADVICE = [
    "Keep numbers (`float(loss)`) instead of tensors, or only the last few (`collections.deque(maxlen=…)`).",
]


def check(case: Case) -> Finding | None:
    found = kept(case, KINDS)
    return finding_of(case, found, "tensor", ADVICE) if found else None
