"""A pipeline puts elements of different shapes into one batch.

## What it detects
`Dataset.batch` that meets an element whose shape differs from that of the first one in the batch, in a loop of the
program's own, in `fit`, or in a v1 session.

## Why it happens
Pictures of several sizes, texts or series of several lengths, a channel more or less, an element that was cut short. A
batch is one tensor, so all of its elements must have one shape.

## Evidence
The exception with both shapes, and the line of the `batch` where the program has just one.

## How it is proved
The exception names both shapes: certain.

## Fix
Bring the elements to one shape in a `map` before the batch, or pad them with `padded_batch`, or keep them apart with
`ragged_batch`.

## Known problems
Which element of the data set it was is not told: the number counts within the batch.

## References
TensorFlow documentation: tf.data.Dataset.padded_batch.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.framework_error import shape_words, sizes_in
from whydied.diagnose.errors.quotation import quoted
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import BatchChosen
from whydied.texts import data_pipelines

_DIFFER = data_pipelines.BATCH_OF_SHAPES.pattern
_ADDED = data_pipelines.ADDED_TO_BATCH.pattern

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    said = quoted(case, _DIFFER) or quoted(case, _ADDED)
    if said is None:
        return None
    first, other = (sizes_in(said.match[word]) for word in ("first", "other"))
    made = _batch_line(case)
    place = made or said.place
    told = said.match.groupdict()
    part = f"part {told['part']} of " if told.get("part", "0") != "0" else ""
    which = f"element {told['at']}" if "at" in told else "an element"
    seen = f"{said.place.file}:{said.place.line}" if said.place and said.place != place else None
    return Finding(
        message=(
            f"{prefix(place)}{part}{which} of a batch has the shape {shape_words(other)}, the first "
            f"one {shape_words(first)}{_axes(first, other)}; expected one shape in a batch"
        ),
        certainty="certain",
        location=place,
        culprit=Culprit(kind="element", shape=other),
        evidence=[
            *evidence_of(said.link, said.raised),
            *([Evidence(fact="batch requested at", value=seen, source="ExceptionRaised")] if seen else []),
        ],
        advice=_advice(first, other),
    )


def _batch_line(case: Case) -> Location | None:
    """The line of the only `batch` of the program."""
    chosen = case.principal.all(BatchChosen) if case.principal else []
    places = {(one.frames[-1].file, one.frames[-1].line): one.frames[-1] for one in chosen if one.frames}
    return case.locate(next(iter(places.values()))) if len(places) == 1 else None


def _axes(first: list[int | None], other: list[int | None]) -> str:
    if len(first) != len(other):
        return f": {len(other)} axes vs {len(first)}"
    differing = [at for at, (one, two) in enumerate(zip(first, other, strict=True)) if one != two]
    return f": axis {differing[0]} differs" if len(differing) == 1 else ""


def _advice(first: list[int | None], other: list[int | None]) -> list[str]:
    if len(first) != len(other):
        return ["Give all elements the same number of axes in a `map` before the batch."]
    channels = len(first) == 3 and {first[-1], other[-1]} <= {1, 2, 3, 4} and first[-1] != other[-1]
    if channels:
        return ["`channels=3` in the decoding call gives all images the same number of channels."]
    pictures = len(first) == 3 and first[-1] in (1, 3, 4)
    resized = "`tf.image.resize` in a `map` before the batch brings all images to one size" if pictures else ""
    padded = "`padded_batch` instead of `batch` pads the shorter ones"
    return [f"{resized}; {padded}." if resized else f"{padded}."]
