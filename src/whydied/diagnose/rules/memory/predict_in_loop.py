"""`predict` is called in a loop, and memory grows with the calls.

## What it detects
At least fifty `predict` calls of one line while memory grew for good with them.

## Why it happens
`predict` is made for many rows: each call builds an input pipeline, callbacks and an iterator. Some versions do not
give all of it back.

## Evidence
The calls with their line, counted; the process's memory over the calls; the census, which does not explain the
growth by objects of the program's own.

## How it is proved
Likely where the growth is sustained after the warm-up (memory rises to a plateau in the beginning on every
version, and then nothing is said), and objects that the program names explain less than half. Where the same function
gives TensorFlow a Python function to keep (`from_generator`, `numpy_function`, `py_function`), that is what grows, and
native-growth says so.

## Fix
Call the model itself for one batch (`model(x, training=False)`), or give all rows to one `predict`.

## Known problems
On current Keras the memory of `predict` in a loop levels off; the rule is silent there.

## References
tensorflow/tensorflow issues 33030, 44711; keras-team/keras issue 13118.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.diagnose.memory.growth_with_events import named_explain, pace_of
from whydied.diagnose.memory.memory_over_time import leaks
from whydied.records import CallBegan
from whydied.source.calls import called_names, registering_near
from whydied.source.edits.edit import Change
from whydied.source.edits.memory.model_edits import called_itself

FEWEST = 50
"""A few dozen calls are still the warm-up: on Keras 3 memory levels off after about thirty."""
KINDS = ("predict", "predict_on_batch")

ROLE = "memory"
YIELDS_TO = ("memory-growth",)


def check(case: Case) -> Finding | None:
    if named_explain(case):
        return None
    by_line: dict[tuple[str, int], list[tuple[float, CallBegan]]] = {}
    for at_s, call in case.records.timed(CallBegan):
        mine = next((frame for frame in reversed(call.frames) if frame.user), None)
        if call.kind in KINDS and mine:
            by_line.setdefault((mine.file, mine.line), []).append((at_s, call))
    most = max(by_line.values(), key=len, default=[])
    if len(most) < 3:
        return None
    number = most[-1][1].call - most[0][1].call + 1
    pace = pace_of(case, [at_s for at_s, _ in most], number)
    if number < FEWEST or pace is None or not leaks(case):
        return None
    call = most[-1][1]
    place = case.locate([frame for frame in call.frames if frame.user][-1])
    if registering_near(case.sources, place):
        return None
    name = next((name for name in called_names(place) if name.endswith(KINDS)), call.kind)
    return Finding(
        message=f"{prefix(place)}`{name}` was called {number:,} times in a loop, and memory grew by "
        f"{words.size(pace.grown_bytes)} with the calls, {words.size(pace.each_bytes)} per call",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="call", name=name, bytes=pace.grown_bytes),
        evidence=[
            Evidence(fact=f"calls of {call.kind} from this line", value=number, source="CallBegan"),
            Evidence(fact="memory grew meanwhile", value=words.size(pace.grown_bytes), source="MachineSampled"),
        ],
        advice=["For one batch, call the model itself: `model(x, training=False)`. For many rows, call predict once."],
        changes=_changes(case, place),
    )


def _changes(case: Case, place: Location) -> list[Change]:
    source = case.sources.get(place.file)
    edits = called_itself(source, place.file, place.line) if source is not None else []
    return change_of("Call the model itself instead of `predict`", "call", edits, "same result")
