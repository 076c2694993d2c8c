"""Tensors are kept in a list, dict, attribute or closure, and pile up.

## What it detects
A container or attribute through which the program keeps so many eager tensors that they make up most of its
memory.

## Why it happens
Losses, predictions, gradients or activations are appended for every step, and nothing lets them go. A tensor
keeps its whole buffer alive.

## Evidence
[evidence of what is kept]

## How it is proved
[proof of what is kept]

## Fix
Keep numbers instead of tensors (`float(loss)`), keep only the last few, or write them to disk.

## Known problems
[known problems of what is kept]

## References
None.
"""

from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.diagnose.held import KEPT_TEXTS, finding_of, kept

TEXTS = KEPT_TEXTS
KINDS = ("tensor",)
ADVICE = [
    "Keep numbers (`float(loss)`) instead of tensors, or only the last few (`collections.deque(maxlen=…)`).",
]


def check(case: Case) -> Finding | None:
    found = kept(case, KINDS)
    return finding_of(case, found, "tensor", ADVICE) if found else None
