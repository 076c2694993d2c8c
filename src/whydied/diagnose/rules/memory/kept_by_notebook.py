"""The notebook keeps objects that no variable of the user's leads to any more.

## What it detects
Results of cells (`Out[12]`, `_`) or variables of the frames of the last traceback that make up a large part of the
memory of a kernel.

## Why it happens
IPython keeps the value of the last expression of every cell, so that `Out[12]` can be asked for later, and the last
exception with all frames that it came through, so that `%debug` can look at them. Deleting the variable, or running the
cell again, frees nothing of this.

## Evidence
The last census of the kernel (at 40, 60, 75, 85 and 92 % of the limit, or at strong growth). Objects that a variable of
the user's leads to count for that variable; what is left and is reached through `Out` or the last traceback counts
here.

## How it is proved
Certain where this is at least 60 % of what the kernel held above its libraries, likely from 25 % on, and only where no
variable of the user's holds more. Below 48 MiB nothing is said.

## Fix
Results: end the cell with `;` or assign the value, and free the old ones with `%reset -f out`. The last traceback goes
with the next error; `sys.last_traceback = sys.last_value = sys.last_exc = None` lets go of it now.

## Known problems
What is kept under a variable and in `Out` counts for the variable; `%whydied top` says that both names keep it.

## References
IPython documentation: Output caching system.
"""

from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.diagnose.memory.unnamed_objects import unnamed

ROOTS = frozenset({"output", "traceback"})

ROLE = "memory"
YIELDS_TO = ("memory-taken-by-others",)


def check(case: Case) -> Finding | None:
    return unnamed(case, ROOTS)
