"""A shuffle buffer, a cache or a prefetch of `tf.data` holds more than there is memory for.

## What it detects
A `shuffle`, `cache` or `prefetch` whose elements, at the size that the pipeline states, fill a large part of the
memory, in a program that memory ended.

## Why it happens
`shuffle(n)` holds n elements as they are at that point of the pipeline: decoded images, not file names. `cache()`
without a file holds all of them. `prefetch(n)` after `batch` holds n batches.

## Evidence
Each such stage with its buffer, the number of elements where TensorFlow knows it, and the size of one element from
its shapes and types; the process's memory.

## How it is proved
Bytes are elements times the size of one. Likely where they are at least 40 % of what the program took above its
libraries, and a quarter of what the limit leaves for it: a smaller one fitted; certain where the whole buffer would not fit under the limit and objects that the program names explain
less than half. Where shapes are unknown the size is not either: then only a shuffle buffer that was being filled when
memory ran out, before the first step was done, is likely.

## Fix
Shuffle before decoding (file names, indices), use a smaller buffer, give `cache` a file name, prefetch
`tf.data.AUTOTUNE`.

## References
tensorflow/tensorflow issues 32376, 54299; TensorFlow guide, "Better performance with the tf.data API".
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import PART, change_of, room_bytes
from whydied.diagnose.memory.call_at_death import ran_out
from whydied.diagnose.memory.growth_with_events import named_explain
from whydied.diagnose.memory.memory_over_time import LEAK_BYTES, baseline_bytes, own_peak_bytes
from whydied.diagnose.memory.pipeline_buffers import Buffer, buffers
from whydied.records import DatasetMade, StepBegan
from whydied.source.edits.edit import Change
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.runs.literal_numbers import rounded_down
from whydied.source.edits.runs.size_edits import buffer_of, without_stage

SHARE = 0.4
OF_ROOM = 0.25
SMALLEST_BYTES = 64 << 20
FEWEST = 8
_ADVICE = {
    "shuffle": "Shuffle before the elements are decoded (file names, indices), or use a smaller buffer.",
    "cache": "Give `cache` a file name (`.cache('/path')`), cache before the elements are decoded, or leave it out.",
    "prefetch": "Prefetch one or two batches, or `tf.data.AUTOTUNE`.",
}


ROLE = "memory"
AT_ONCE = True
YIELDS_TO = ("variables-in-loop",)


def check(case: Case) -> Finding | None:
    if named_explain(case):
        return None
    largest = next(iter(buffers(case)), None)
    grown = own_peak_bytes(case) - baseline_bytes(case)
    if grown <= 0:
        return None
    enough = max(SHARE * grown, OF_ROOM * (room_bytes(case) or 0), SMALLEST_BYTES)
    if largest is not None and largest.size_bytes >= enough:
        return _finding(case, largest, grown)
    return _filling(case, grown)


def _filling(case: Case, grown: int) -> Finding | None:
    """A shuffle buffer whose elements have no fixed size, when memory ran out before it gave the first of them."""
    stages = [one for one in case.records.all(DatasetMade) if one.kind == "shuffle"]
    steps = [one.count for one in case.records.all(StepBegan)]
    if len(stages) != 1 or stages[0].element_bytes is not None or max(steps, default=0) > 1 or not ran_out(case):
        return None
    stage = stages[0]
    counts = [number for number in (stage.buffer_size, stage.elements) if number is not None]
    # A buffer of a few is full before it takes this much.
    if grown < LEAK_BYTES or min(counts, default=0) < FEWEST:
        return None
    place = case.locate(stage.frames[-1])
    number = f"{min(counts):,} elements"
    return Finding(
        message=f"{prefix(place)}the shuffle buffer of {number} was being filled for the first step while memory grew "
        f"by {words.size(grown)}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="buffer", name="shuffle", value=str(min(counts))),
        evidence=[
            Evidence(
                fact=f"shuffle at {place.spelled}",
                value=f"{number}, whose size is not fixed ({stage.element_spec})",
                source="DatasetMade",
            ),
            Evidence(fact="memory beyond the libraries", value=words.size(grown), source="MachineSampled"),
        ],
        advice=[_ADVICE["shuffle"]],
    )


def _finding(case: Case, largest: Buffer, grown: int) -> Finding:
    stage = largest.stage
    place = case.locate(stage.frames[-1])
    limit = case.recording.limit
    over = limit is not None and largest.size_bytes > limit.limit_bytes - baseline_bytes(case)
    of = f"; the limit is {words.size(limit.limit_bytes)}" if limit else ""
    each = words.size(stage.element_bytes)
    return Finding(
        message=f"{prefix(place)}the {stage.kind} buffer of {largest.elements:,} elements of {each} would need "
        f"{words.size(largest.size_bytes)}{of}",
        certainty="certain" if over else "likely",
        location=place,
        culprit=Culprit(kind="buffer", name=stage.kind, bytes=largest.size_bytes, value=str(largest.elements)),
        evidence=[
            Evidence(
                fact=f"{stage.kind} at {place.spelled}",
                value=f"{largest.elements:,} elements of {each} ({stage.element_spec})",
                source="DatasetMade",
            ),
            Evidence(fact="memory beyond the libraries", value=words.size(grown), source="MachineSampled"),
        ],
        advice=[_ADVICE[stage.kind]],
        changes=_changes(case, place, stage),
    )


def _changes(case: Case, place: Location, stage: DatasetMade) -> list[Change]:
    source, room = case.sources.get(place.file), room_bytes(case)
    tensorflow = name_of(source, "tensorflow") if source is not None else None
    if source is None:
        return []
    if stage.kind == "cache":
        edit = without_stage(source, place.file, place.line, "cache")
        return change_of("Leave out `cache`", "buffer", edit)
    if stage.kind == "prefetch":
        wanted = f"{tensorflow}.data.AUTOTUNE" if tensorflow else "2"
        edit = buffer_of(source, place.file, place.line, "prefetch", wanted)
        return change_of(f"Prefetch `{wanted}` batches", "buffer", edit)
    if room is None or not stage.element_bytes:
        return []
    number = rounded_down(room / PART / stage.element_bytes)
    edit = buffer_of(source, place.file, place.line, "shuffle", str(number))
    return change_of(f"Use a shuffle buffer of {number:,} elements", "buffer", edit)
