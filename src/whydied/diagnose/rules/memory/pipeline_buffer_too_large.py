"""A stage of `tf.data` (shuffle, cache, prefetch, a parallel map) holds more than there is memory for.

## What it detects
A `shuffle`, `cache`, `prefetch` or `map(…, num_parallel_calls=n)` whose elements, at the size that the pipeline states,
fill a large part of the memory, in a program that memory ended.

## Why it happens
`shuffle(n)` holds n elements as they are at that point of the pipeline: decoded images, not file names. `cache()`
without a file holds all of them. `prefetch(n)` after `batch` holds n batches. `map` with n parallel calls holds n
results. What stands inside of `interleave(…, cycle_length=n)` is there n times, and so are the tensors that its
function gives to `from_tensor_slices`: a whole file each, where the function reads one.

## Evidence
Each such stage with its buffer, the number of elements where TensorFlow knows it, and the size of one element from
its shapes and types; the process's memory.

## How it is proved
Bytes are elements times the size of one, for each of those that `interleave` opens at a time. Likely where they are at
least 40 % of what the program took above its libraries, and a quarter of what the limit leaves for it: a smaller one
fitted; certain where the whole buffer would not fit under the limit and objects that the program names explain
less than half. Where shapes are unknown the size is not either: then only a shuffle buffer that was being filled when
memory ran out, before the first step was done, is likely. So is a cache that nobody counted, while the first epoch
fills it, and an `interleave` of at least eight data sets that hold tensors of a size that nobody knows.

## Fix
Shuffle before decoding (file names, indices), use a smaller buffer, give `cache` a file name, prefetch
`tf.data.AUTOTUNE`, let `map` make fewer calls at a time, shuffle after `interleave`, lower `cycle_length`.

## References
tensorflow/tensorflow issues 27128, 30156, 32376, 33516, 54299; TensorFlow guide, "Better performance with the tf.data
API".
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import PART, change_of, room_bytes
from whydied.diagnose.memory.call_at_death import ran_out
from whydied.diagnose.memory.growth_with_events import named_explain
from whydied.diagnose.memory.large_statements.opened_sources import KIND, opened
from whydied.diagnose.memory.memory_over_time import LEAK_BYTES, baseline_bytes, own_peak_bytes
from whydied.diagnose.memory.pipeline_buffers import Buffer, buffers
from whydied.records import DatasetMade, StepBegan
from whydied.source.calls import called_names, calls_of
from whydied.source.edits.edit import Change
from whydied.source.edits.import_edits import name_of
from whydied.source.edits.memory.earlier_stages import before_maps
from whydied.source.edits.runs.literal_numbers import rounded_down
from whydied.source.edits.runs.size_edits import buffer_of, keyword_set, without_stage

SHARE = 0.4
OF_ROOM = 0.25
SMALLEST_BYTES = 64 << 20
FEWEST = 8
_ADVICE = {
    "shuffle": "Shuffle before the elements are decoded (file names, indices), or use a smaller buffer.",
    "cache": "Give `cache` a file name (`.cache('/path')`), cache before the elements are decoded, or leave it out.",
    "prefetch": "Prefetch one or two batches, or `tf.data.AUTOTUNE`.",
    "map": "Let `map` make fewer calls at a time: more than the machine has cores are not faster.",
}
_AFTER = "Put `{kind}` after `interleave`, so that there is one of it, or lower `cycle_length={number}`."


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
        return opened(case, largest.stage, grown) if largest.stage.kind == KIND else _finding(case, largest, grown)
    return _filling(case, grown) or _opened_unknown(case, grown)


def _opened_unknown(case: Case, grown: int) -> Finding | None:
    """Data sets that an `interleave` has open with tensors of a size that is not known, where memory ran out."""
    found = [one for one in case.records.all(DatasetMade) if one.kind == KIND and one.element_bytes is None]
    if not found or not ran_out(case) or grown < LEAK_BYTES or found[-1].copies < FEWEST:
        return None
    return opened(case, found[-1], grown)


def _filling(case: Case, grown: int) -> Finding | None:
    """A buffer whose size is not known, when memory ran out while it was filled: of a shuffle before it gave the first
    element, of a cache before the first epoch was done."""
    stages = [one for one in case.records.all(DatasetMade) if one.kind == "cache" and one.elements is None]
    kind = "cache" if stages else "shuffle"
    stages = stages or [one for one in case.records.all(DatasetMade) if one.kind == "shuffle"]
    if (
        len({(one.frames[-1].file, one.frames[-1].line) for one in stages}) != 1
        or not ran_out(case)
        or grown < LEAK_BYTES
    ):
        return None
    stage = stages[-1]
    steps = case.records.all(StepBegan)
    if kind == "cache":
        if any(step.epoch for step in steps):
            return None
        return _filled(case, stage, "cache", _number_of(stage, grown), grown)
    if stage.element_bytes is not None or max((step.count for step in steps), default=0) > 1:
        return None
    counts = [number for number in (stage.buffer_size, stage.elements) if number is not None]
    # A buffer of a few is full before it takes this much.
    if min(counts, default=0) < FEWEST:
        return None
    return _filled(case, stage, "shuffle buffer", f"{min(counts):,} elements", grown)


def _number_of(stage: DatasetMade, grown: int) -> str:
    """How many elements the growth comes to."""
    if not stage.element_bytes:
        return "an unknown number of elements"
    return f"about {float(f'{grown / stage.element_bytes:.2g}'):,.0f} elements of {words.size(stage.element_bytes)}"


def _filled(case: Case, stage: DatasetMade, what: str, number: str, grown: int) -> Finding:
    place = case.locate(stage.frames[-1])
    when = "in the first epoch" if stage.kind == "cache" else "for the first step"
    return Finding(
        message=f"{prefix(place)}the {what} of {number} was being filled {when} while memory grew by "
        f"{words.size(grown)}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="buffer", name=stage.kind, value=str(stage.buffer_size) if stage.buffer_size else None),
        evidence=[
            Evidence(
                fact=f"{stage.kind} at {place.spelled}",
                value=f"{number} ({stage.element_spec})",
                source="DatasetMade",
            ),
            Evidence(fact="memory beyond the libraries", value=words.size(grown), source="MachineSampled"),
        ],
        advice=[_ADVICE[stage.kind]],
        changes=_changes(case, place, stage),
    )


def _place(case: Case, stage: DatasetMade) -> Location:
    """The line that makes the stage. What AutoGraph made of the function of an `interleave` has no line of the
    program's: there it is the only one that calls the stage's method."""
    place = case.locate(stage.frames[-1])
    if stage.copies <= 1 or stage.kind in {name.rpartition(".")[2] for name in called_names(place)}:
        return place
    calls = calls_of(case.sources, lambda name: name == stage.kind)
    return case.locate(calls[0]) if len(calls) == 1 else place


def _finding(case: Case, largest: Buffer, grown: int) -> Finding:
    stage = largest.stage
    place = _place(case, stage)
    limit = case.recording.limit
    over = limit is not None and largest.size_bytes > limit.limit_bytes - baseline_bytes(case)
    of = f"; the limit is {words.size(limit.limit_bytes)}" if limit else ""
    each = words.size(stage.element_bytes)
    times = f" {stage.copies} times, as `interleave` opens them," if stage.copies > 1 else ""
    what = (
        f"`map` with {largest.elements:,} parallel calls holds as many results of {each}, which"
        if stage.kind == "map"
        else f"the {stage.kind} buffer of {largest.elements:,} elements of {each}{times}"
    )
    return Finding(
        message=f"{prefix(place)}{what} would need {words.size(largest.size_bytes)}{of}",
        certainty="certain" if over else "likely",
        location=place,
        culprit=Culprit(kind="buffer", name=stage.kind, bytes=largest.size_bytes, value=str(largest.elements)),
        evidence=[
            Evidence(
                fact=f"{stage.kind} at {place.spelled}",
                value=f"{largest.elements:,} elements of {each} ({stage.element_spec})",
                source="DatasetMade",
            ),
            *_opened(case, stage, place),
            Evidence(fact="memory beyond the libraries", value=words.size(grown), source="MachineSampled"),
        ],
        advice=_advice(stage),
        changes=_changes(case, place, stage),
    )


def _opened(case: Case, stage: DatasetMade, place: Location) -> list[Evidence]:
    places = [case.locate(frame) for frame in stage.frames]
    around = next((one for one in reversed(places) if (one.file, one.line) != (place.file, place.line)), None)
    if stage.copies <= 1 or around is None:
        return []
    value = f"{stage.copies}, each with a {stage.kind} of its own"
    return [Evidence(fact=f"data sets that `interleave` opens at {around.spelled}", value=value, source="DatasetMade")]


def _advice(stage: DatasetMade) -> list[str]:
    after = [_AFTER.format(kind=stage.kind, number=stage.copies)] if stage.copies > 1 else []
    return [*after, _ADVICE[stage.kind]]


def _changes(case: Case, place: Location, stage: DatasetMade) -> list[Change]:
    source, room = case.sources.get(place.file), room_bytes(case)
    tensorflow = name_of(source, "tensorflow") if source is not None else None
    if source is None:
        return []
    if stage.kind == "cache":
        moved = before_maps(source, place.file, place.line, "cache")
        edit = without_stage(source, place.file, place.line, "cache")
        return [
            *change_of("Cache before the elements are decoded", "order", moved, harm="same result"),
            *change_of("Leave out `cache`", "buffer", edit, harm="same result"),
        ]
    if stage.kind == "prefetch":
        wanted = f"{tensorflow}.data.AUTOTUNE" if tensorflow else "2"
        edit = buffer_of(source, place.file, place.line, "prefetch", wanted)
        return change_of(f"Prefetch `{wanted}` batches", "buffer", edit, value=wanted, harm="exact")
    first = before_maps(source, place.file, place.line, "shuffle") if stage.kind == "shuffle" else []
    earlier = change_of("Shuffle before the elements are decoded", "order", first, harm="same result")
    if room is None or not stage.element_bytes:
        return earlier
    number = rounded_down(room / PART / stage.copies / stage.element_bytes)
    if stage.kind == "map":
        edit = keyword_set(source, place.file, place.line, "num_parallel_calls", number)
        return change_of(f"Make {number} calls at a time", "buffer", edit, value=number, harm="exact")
    edit = buffer_of(source, place.file, place.line, "shuffle", str(number))
    return earlier + change_of(f"Use a shuffle buffer of {number:,} elements", "buffer", edit, value=number)
