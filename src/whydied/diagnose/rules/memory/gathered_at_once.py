"""One statement gathers more than there is memory for, before any of it is used.

## What it detects
A program that was killed in a comprehension (`[load(path) for path in paths]`), `list(map(…))` or the like, during
which memory grew.

## Why it happens
A whole data set is loaded into a list, often to make an array of it (`np.array([…])`), which then takes as much again.

## Evidence
The line that the main thread was seen at, look after look, with the lines of the functions that it called for an item;
the memory before the statement and at the end.

## How it is proved
Likely where the statement took at least half of what the program held above its libraries, the program was at work
on an item at half of the looks (or the statement does nothing else), and objects that have a name explain less than
40 % of the memory: what is gathered has none before the statement ends.

## Fix
Load batch by batch: a generator, `tf.data`, `keras.utils.PyDataset`. Where all of it is needed, make the array once, of
the smallest type, and fill its rows.

## Known problems
What is gathered cannot be counted. A function that leaks for each item looks the same.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.diagnose.memory.call_at_death import own_bytes
from whydied.diagnose.memory.gathering_statements import Gathering, gathering_of
from whydied.diagnose.memory.growth_with_events import named_explain
from whydied.diagnose.memory.kept_objects import SMALLEST_BYTES, line_evidence
from whydied.diagnose.memory.memory_over_time import growth_by_line
from whydied.records import WeightMade
from whydied.source.calls import registering_near

TAKES = 0.5
NAMED_SHARE = 0.4

ROLE = "memory"
YIELDS_TO = ("prediction-too-large",)


def check(case: Case) -> Finding | None:
    found = gathering_of(case)
    if found is None or found.grown_bytes < max(SMALLEST_BYTES, TAKES * own_bytes(case)):
        return None
    if named_explain(case, NAMED_SHARE) or _leaks(case):
        return None
    limit = case.recording.limit
    of = f" (limit {words.size(limit.limit_bytes)})" if limit else ""
    for_ = f" for `{found.name}`" if found.name else ""
    return Finding(
        message=f"{prefix(found.place)}the {found.kind} that this statement builds{for_} took {_amount(found)}{of}"
        + ("" if found.complete_bytes else " and was not complete"),
        certainty="likely",
        location=found.place,
        culprit=Culprit(kind=found.kind, name=found.name, bytes=found.grown_bytes),
        evidence=[
            Evidence(
                fact=f"memory grew while running {found.place.spelled}",
                value=f"by {words.size(found.grown_bytes)} in {words.duration(found.seconds)}",
                source="LineSampled, MachineSampled",
            ),
            *line_evidence(case),
        ],
        advice=_MODELS if _makes_models(case, found) else _advice(found),
    )


def _amount(found: Gathering) -> str:
    if not found.complete_bytes:
        return words.size(found.grown_bytes)
    both = words.size(found.grown_bytes)
    return f"{words.size(found.complete_bytes)}, and {both} together with what `{found.within}` makes of it"


def _leaks(case: Case) -> bool:
    """Whether a function that TensorFlow keeps is made in the function whose line grew: that is another cause."""
    grown = [(line.location, registering_near(case.sources, line.location)) for line in growth_by_line(case)[:3]]
    return any(made is not None and made.function == place.function for place, made in grown)


def _makes_models(case: Case, found: Gathering) -> bool:
    """Whether the statement was seen to make weights."""
    weights = case.principal.all(WeightMade) if case.principal else []
    places = {(frame.file, case.locate(frame).line) for weight in weights for frame in weight.frames}
    return (found.place.file, found.place.line) in places


_MODELS = [
    "Create one model at a time, and keep its results (scores, a file) instead of the model.",
    "Call `keras.backend.clear_session()` before the next.",
]


def _advice(found: Gathering) -> list[str]:
    advice = ["Load batch by batch instead of all at once: a generator, `tf.data` or `keras.utils.PyDataset`."]
    if found.within:
        advice.append(
            f"`{found.within}` of the whole {found.kind} takes as much again: if you need all of it, create the "
            "array once (`np.empty(shape, dtype)`) and fill its rows."
        )
    return [*advice, "Use the smallest type: images as uint8, tables as float32 instead of float64."]
