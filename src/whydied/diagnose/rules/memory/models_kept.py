"""Models of earlier rounds are kept alive.

## What it detects
Several models, with their weights and optimizer slots, that are still referenced when only one is in use.

## Why it happens
A search over settings appends every model to a list, or callbacks and closures of earlier rounds still point
at them.

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
Keep the results, not the models: save the best one, delete the others, or use a fresh process a round.

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

KINDS = ("model", "optimizer")
ADVICE = [
    "Save what is needed from each model, drop the reference, and call `keras.backend.clear_session()`.",
    "Where that is not enough, a fresh process for each round is.",
]


def check(case: Case) -> Finding | None:
    found = kept(case, KINDS)
    return finding_of(case, found, "model", ADVICE) if found else None
