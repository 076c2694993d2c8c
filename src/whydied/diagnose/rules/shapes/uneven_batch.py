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

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.advice import Advice, Way, advised
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.framework_error import shape_words, sizes_in
from whydied.diagnose.errors.quotation import quoted
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import BatchChosen
from whydied.source.calls import callee
from whydied.source.edits.call_edits import set_argument
from whydied.source.edits.edit import Edit
from whydied.source.edits.shapes.loss_edits import called_name
from whydied.source.edits.shapes.picture_sizes import declared_size, resized_before_batch
from whydied.source.text import Source
from whydied.source.trees import across
from whydied.texts import data_pipelines

_DIFFER = data_pipelines.BATCH_OF_SHAPES.pattern
_ADDED = data_pipelines.ADDED_TO_BATCH.pattern
_DECODING = ("decode_image", "decode_jpeg", "decode_png", "decode_bmp")

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
    advice = _advice(case, made, first, other)
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
        advice=advice.sentences,
        changes=advice.changes,
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


def _advice(case: Case, made: Location | None, first: list[int | None], other: list[int | None]) -> Advice:
    if len(first) != len(other):
        return Advice(["Give all elements the same number of axes in a `map` before the batch."], [])
    channels = len(first) == 3 and {first[-1], other[-1]} <= {1, 2, 3, 4} and first[-1] != other[-1]
    if channels:
        words = "`channels=3` in the decoding call gives all images the same number of channels."
        return advised(words, "data", _decoded(case))
    source = case.sources.get(made.file) if made is not None else None
    if len(first) == 3 and first[-1] in (1, 3, 4):
        return _resized(case, made, source, first)
    padded = "`padded_batch` instead of `batch` pads the shorter ones"
    edits = called_name(source, made.file, made.line, "batch", "padded_batch") if source and made else None
    return advised(f"{padded}.", "batch", Way(padded, edits))


def _resized(case: Case, made: Location | None, source: Source | None, first: list[int | None]) -> Advice:
    """Pictures of several sizes: a model takes them at one, and not with zeros beside them."""
    words = "`tf.image.resize` in a `map` before the batch brings all pictures to one size"
    if made is None or source is None:
        return Advice([f"{words}."], [])
    size = declared_size(case.project, made.file) or f"({first[0]}, {first[1]})"
    ways = [Way(f"{words}, {size}", edits) for edits in resized_before_batch(source, made.file, made.line, size)]
    return advised(f"{words}.", "batch", *ways)


def _decoded(case: Case) -> list[Edit] | None:
    """The only call of the program that decodes a picture, with three channels."""
    calls = [(file, call) for file, call in across(case.sources, ast.Call) if callee(call) in _DECODING]
    if len(calls) != 1:
        return None
    file, call = calls[0]
    edit = set_argument(case.sources[file], file, call, "channels", 1, "3")
    return [edit] if edit is not None else None
