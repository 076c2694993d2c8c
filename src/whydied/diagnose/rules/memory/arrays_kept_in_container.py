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

import msgspec

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Finding, Location
from whydied.diagnose.memory.kept_objects import KEPT_TEXTS, filling_place, finding_of, kept
from whydied.diagnose.memory.large_statements.promoted_arrays import Promoted, promoted
from whydied.diagnose.rules.memory.workers_times_queue import outweigh, waits_in
from whydied.source.calls import called_names

TEXTS = KEPT_TEXTS
KINDS = ("array",)
ADVICE = [
    "Stream the data (a generator, tf.data), or keep only what you need.",
    "A memory-mapped array (`numpy.memmap`) keeps the data on disk.",
]
RESULTS = ["Keep a number for each (`float(result.mean())`) or only the last result, and write the others to files."]
_COMPUTED = frozenset({"predict", "predict_on_batch", "numpy", "get_weights", "evaluate"})
"""What gives results: they are not data that could be streamed."""

ROLE = "memory"
YIELDS_TO = ("tensors-kept-in-container",)


def check(case: Case) -> Finding | None:
    found = kept(case, KINDS)
    if found is None or outweigh(case, found.bytes_at_end) or waits_in(case, found.holder):
        return None
    place = filling_place(case, found.holder)
    computed = place is not None and _COMPUTED & {name.rpartition(".")[2] for name in called_names(place)}
    told = finding_of(case, found, "array", RESULTS if computed else ADVICE)
    wide = promoted(case, place) if place is not None and found.group.dtype == "float64" else None
    return _widened(told, place, wide) if wide is not None and place is not None else told


def _widened(told: Finding, place: Location, wide: Promoted) -> Finding:
    """Arrays that the program made float32 on purpose: what made them float64 again comes first."""
    rest = told.message.removeprefix(prefix(place))
    return msgspec.structs.replace(
        told,
        message=f"{prefix(wide.place)}{wide.words}: {rest}",
        location=wide.place,
        advice=[wide.advice, *(one for one in told.advice if "float64" not in one)],
        changes=[*wide.changes, *(one for one in (told.changes or []) if one.kind != "dtype")],
    )
