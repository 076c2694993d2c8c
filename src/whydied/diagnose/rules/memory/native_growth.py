"""Memory grew outside of the objects that the program holds: in native code or in a library's own tables.

## What it detects
Growth to the death of the program, or for good, that the census does not explain by objects with a name of the
program's own.

## Why it happens
TensorFlow keeps what it was given: functions of `py_function`, `numpy_function` and `from_generator` with all that
they close over, traced functions, compiled kernels, state of native iterators. A library that leaks does the same.

## Evidence
The last census, whose objects are counted and named; the process's memory; the line that was running while it
grew, and what that line calls.

## How it is proved
Likely where the last census saw at least half of the growth, named objects explain less than 40 % of what was held
above the libraries (the CPU allocator takes up to 1.7 times what a tensor needs, so that tensors that explain it
all can count for 60 %), and no single second brought most of it, unless the running line changed at least eight times
while memory rose: a single large step is not growth.

## Fix
Move what the line makes out of the loop: make the data set, the function or the model once. A function that
TensorFlow keeps stays small where it closes over nothing: let it read its data from a name of the module. Where
neither is possible, do the work in a process of its own that ends.

## Known problems
A native leak has no Python holder: the line is the one during which memory grew, or the call in the same function
that gives TensorFlow a Python function to keep.

## References
tensorflow/tensorflow issues 33030, 61791.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.call_at_death import running_call
from whydied.diagnose.memory.growth_with_events import Explained, explained
from whydied.diagnose.memory.memory_over_time import (
    LEAK_BYTES,
    baseline_bytes,
    lines_at_work,
    memory_series,
    own_growth_by_line,
    own_peak_bytes,
)
from whydied.diagnose.rules.memory.workers_times_queue import OUTWEIGHING, outweigh
from whydied.records import LineSampled, ObjectGroup, StepBegan
from whydied.source.calls import REGISTERING, called_names, calls_of, registering_near
from whydied.source.edits.edit import Change, Harm
from whydied.source.edits.memory.closure_edits import is_lazy, made_outside, module_names_for
from whydied.source.edits.memory.model_edits import called_itself, run_eagerly
from whydied.source.edits.runs.block_edits import before_loop
from whydied.source.statements import in_loop_body
from whydied.source.trees import located, tree_of

NAMED_SHARE = 0.4
SEEN_SHARE = 0.5
LARGEST_JUMP = 0.5
LEAST_S = 1.0
FEWEST_CHANGES = 8
"""Changes of the running line from which on a rise within a second is a fast loop and not one call."""
_CLOSURES = [
    "TensorFlow keeps this function for ever, with all that it closes over: let it read its data from a name of the "
    "module (`global`), or make them once.",
]
_LOOP = [
    "Move what this line creates (data set, function, model) out of the loop, so that it is created once.",
    "If that is impossible, do the work in a child process that ends.",
]
_CALL = [
    "Native memory is what TensorFlow computes with and what a data pipeline keeps ready: try a smaller batch, and "
    "smaller `shuffle`, `cache` and `prefetch` buffers, one at a time."
]
_TELLING = REGISTERING | {"fit", "predict", "load_model", "clear_session"}

ROLE = "memory"
YIELDS_TO = ("predict-in-loop", "gathered-at-once", "pipeline-buffer-too-large", "loop-traced", "row-too-large")


def check(case: Case) -> Finding | None:
    found = explained(case)
    series = memory_series(case)
    if found is None or found.named_share >= NAMED_SHARE or not series:
        return None
    base = baseline_bytes(case)
    grown = own_peak_bytes(case) - base
    if outweigh(case, grown // OUTWEIGHING):
        return None
    seen = found.census.rss_bytes - base >= SEEN_SHARE * grown
    if grown < LEAK_BYTES or not seen or (_one_jump(series, base, grown) and _changes(case) < FEWEST_CHANGES):
        return None
    place, loops = _place(case)
    if case.exit_code == 0 and not loops and not case.records.all(StepBegan):
        # One call that is done, such as the reading of a table, however long it took, is not repeated.
        return None
    return _finding(case, found, (place, loops), grown)


def _place(case: Case) -> tuple[Location | None, bool]:
    """The line that was running while memory grew, and whether it ran in a loop. In a loop it is the line of the same
    function that gives TensorFlow a Python function, which it keeps with all that it closes over."""
    running = running_call(case)
    if running is not None and running.call is not None and running.done == 0:
        # What the program loads meanwhile runs beside the step, and is held by names.
        return running.place, False
    lines = [(line.location, _is_in_loop(case, line.location)) for line in own_growth_by_line(case)]
    for place, loops in lines[:3]:
        if loops and (registering := registering_near(case.sources, place)):
            return located(case.sources, registering.file, registering.line), True
    if running is not None and running.call is not None and lines and not lines[0][1]:
        return running.place, False
    return lines[0] if lines else (case.last_seen()[0], False)


def _is_in_loop(case: Case, place: Location) -> bool:
    """Whether a statement, or one of those that called it, stood in a loop when memory grew there."""
    for _, sampled in lines_at_work(case):
        places = [case.locate(frame) for frame in sampled.frames if frame.user]
        if places and (places[-1].file, places[-1].line) == (place.file, place.line):
            return any(in_loop_body(tree_of(case.sources, one.file), one.line) for one in places)
    return False


def _one_jump(series: list[tuple[float, int]], base: int, grown: int) -> bool:
    """Whether one second brought most of it, or the whole took no longer."""
    rising = [(at, rss) for at, rss in series if rss >= base]
    if not rising or rising[-1][0] - rising[0][0] < LEAST_S:
        return True
    start = 0
    for index, (at, rss) in enumerate(rising):
        while at - rising[start][0] > LEAST_S:
            start += 1
        if index > start and rss - rising[start][1] > LARGEST_JUMP * grown:
            return True
    return False


def _changes(case: Case) -> int:
    """How often the program went from one line to another while memory rose: a loop does, a single call does not."""
    number, before = 0, None
    for sampled in case.records.all(LineSampled):
        now = tuple((frame.file, frame.line) for frame in sampled.frames if frame.user)
        if sampled.thread != "main" or sampled.rss_bytes is None or not now:
            continue
        if before is not None and now != before[0] and sampled.rss_bytes > before[1]:
            number += 1
        before = (now, sampled.rss_bytes)
    return number


def _finding(case: Case, found: Explained, at: tuple[Location | None, bool], grown: int) -> Finding:
    place, loops = at
    called = called_names(place) if place else []
    telling = next((name for name in called if name.rpartition(".")[2] in _TELLING), None) or next(iter(called), None)
    library = _held_by_library(found)
    what = (
        f"{words.count(library.count, 'object')} ({library.type.rpartition('.')[2]}, {words.size(library.size_bytes)}) "
        "that no variable of the program refers to"
        if library
        else "native memory"
    )
    with_ = f" while `{telling}` {'was called repeatedly' if loops else 'ran'}" if telling else ""
    return Finding(
        message=f"{prefix(place)}memory grew by {words.size(grown)}{with_}, but not in objects that the program "
        f"holds (they explain {found.named_share:.0%}): it is {what}"
        + ("" if loops or library else ", and what holds it is not known"),
        certainty="likely",
        location=place,
        culprit=Culprit(kind="native", name=telling, bytes=grown),
        evidence=[
            Evidence(
                fact=f"census at {found.census.trigger}, {words.duration(found.age_s)} before the end",
                value=f"{words.size(found.own_bytes)} beyond the libraries; Python objects hold "
                f"{found.python_share:.0%} of it, variables {found.named_share:.0%}",
                source="CensusTaken",
            ),
            Evidence(fact="memory grew", value=words.size(grown), source="MachineSampled"),
        ],
        advice=[*(_CLOSURES if loops and _registers(called) else []), *(_LOOP if loops else _CALL)],
        changes=_fixes(case, place) if place is not None and loops else [],
    )


def _registers(called: list[str]) -> bool:
    return any(name.rpartition(".")[2] in REGISTERING for name in called)


def _fixes(case: Case, place: Location) -> list[Change]:
    """What TensorFlow keeps made small, or made once; a step that is not traced."""
    source = case.sources.get(place.file)
    if source is None:
        return []
    file, line = place.file, place.line
    if _registers(called_names(place)):
        outside = made_outside(source, file, line)
        harm: Harm = "changed result" if is_lazy(source, line) else "exact"
        return [
            *change_of("Make what the function needs once, outside", "release", outside, "exact"),
            *change_of(
                "Give the function its data by a name of the module, which it does not keep",
                "release",
                module_names_for(source, file, line),
                harm,
            ),
        ]
    return [
        *change_of("Create this once, above the loop", "statement", before_loop(source, file, line), "same result"),
        *change_of(
            "Call the model itself instead of `predict`", "call", called_itself(source, file, line), "same result"
        ),
        *_eager(case),
    ]


def _eager(case: Case) -> list[Change]:
    """Where models are made in the loop and released, their traces are what stays."""
    if not calls_of(case.sources, "clear_session".__eq__):
        return []
    title = "Run the steps eagerly (slower): their traces keep the models"
    return change_of(title, "release", run_eagerly(case.sources), "same result")


def _held_by_library(found: Explained) -> ObjectGroup | None:
    """The largest group of Python objects that TensorFlow or another library holds, where it is most of the matter."""
    groups = [
        group
        for group in found.census.groups
        if group.kind != "model"
        and group.holders
        and all(holder.root in ("library", "unknown") for holder in group.holders)
    ]
    largest = max(groups, key=lambda group: group.size_bytes, default=None)
    return largest if largest and largest.size_bytes >= SEEN_SHARE * found.own_bytes else None
