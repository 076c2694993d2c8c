"""NumPy arrays are kept in a list, dict, attribute or closure, and pile up.

## What it detects
A container or attribute through which the program keeps so many arrays that they make up most of its memory.

## Why it happens
Batches, predictions or decoded files are appended and never let go, or a whole data set is decoded into
memory.

## Evidence
[evidence of what is kept]

## How it is proved
[proof of what is kept]

## Fix
Process the data as a stream, keep only what is needed, use a smaller dtype, or a memory-mapped file.

## Known problems
[known problems of what is kept]
"""

from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.diagnose.memory.kept_objects import KEPT_TEXTS, finding_of, kept
from whydied.diagnose.rules.memory.workers_times_queue import outweigh

TEXTS = KEPT_TEXTS
KINDS = ("array",)
ADVICE = [
    "Stream the data (a generator, tf.data), or keep only what you need.",
    "A memory-mapped array (`numpy.memmap`) keeps the data on disk.",
]

ROLE = "memory"
YIELDS_TO = ("tensors-kept-in-container",)


def check(case: Case) -> Finding | None:
    found = kept(case, KINDS)
    if found is None or outweigh(case, found.bytes_at_end):
        return None
    return finding_of(case, found, "array", ADVICE, bounds=True)
