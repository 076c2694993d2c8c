"""Plain Python objects pile up in a container.

## What it detects
A Python container (list, dict, set, deque) or text that makes up most of the memory of the program.

## Why it happens
Records, strings or nested lists are collected and never let go.

## Evidence
[evidence of what is kept]

## How it is proved
[proof of what is kept]

## Fix
Keep only what is needed, write it out, or use arrays instead of lists of numbers.

## Known problems
[known problems of what is kept]
"""

from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.diagnose.memory.kept_objects import KEPT_TEXTS, finding_of, kept
from whydied.diagnose.rules.memory.workers_times_queue import outweigh

TEXTS = KEPT_TEXTS
KINDS = ("container", "text", "object")
ADVICE = [
    "Keep only what you need, write out the rest, or use an array instead of a list of Python numbers.",
]

ROLE = "memory"
YIELDS_TO = ("redundant-copies",)


def check(case: Case) -> Finding | None:
    found = kept(case, KINDS)
    if found is None or outweigh(case, found.bytes_at_end):
        return None
    return finding_of(case, found, "object", ADVICE)
