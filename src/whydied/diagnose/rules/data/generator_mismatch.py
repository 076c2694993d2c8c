"""A generator yields an element that is not what was declared or seen before.

## What it detects
An element of a generator, given to Keras or to `tf.data.Dataset.from_generator`, whose shape, type or structure is
not that of its `output_signature`, or of its first batches where Keras took the form from those.

## Why it happens
A picture of another size or a series of another length among the files, a label that is missing, a text where a number
should be; or a signature that promises a fixed size where the sizes vary.

## Evidence
The exception with what was yielded and what was expected; the function with the `yield`, where the program has just one
that it can have been; the step of the call that it came out of.

## How it is proved
The exception names both: certain.

## Fix
Bring the element to the form of the others before it is yielded, or leave it out; or declare a size that varies as
`None` in the signature.

## Known problems
Of an element with several parts the part is known by its shape alone.

## References
TensorFlow documentation: tf.data.Dataset.from_generator.
"""

from __future__ import annotations

import re

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.exception_context import party_texts
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.framework_error import Shape, conforms, shape_words, sizes_in
from whydied.diagnose.errors.quotation import Quotation, quoted
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import Frame
from whydied.source.generators import only_generator
from whydied.texts import data_pipelines

_SHAPE = data_pipelines.YIELDED_SHAPE.pattern
_SPEC = data_pipelines.YIELDED_SPEC.pattern
_STRUCTURE = data_pipelines.YIELDED_STRUCTURE.pattern
_TYPE = data_pipelines.YIELDED_TYPE.pattern
_PART = data_pipelines.SPEC.pattern
_FIRST_BATCHES = data_pipelines.YIELDED_TO_KERAS.pattern
_LONGEST = 60


ROLE = "explanation"


def check(case: Case) -> Finding | None:
    said = quoted(case, _SHAPE, _STRUCTURE, _TYPE, _SPEC)
    if said is None:
        return None
    found = only_generator(case.sources, said.place)
    place = said.place
    if found is not None:
        place = case.locate(Frame(file=found.file, line=found.line, function=found.name, user=True))
    shape, what, advice = _told(said)
    who = f"{found.name}()" if found and found.name != "__iter__" else "the generator"
    return Finding(
        message=f"{prefix(place)}{who} yields {what}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="element", name=found.name if found else None, shape=shape),
        evidence=evidence_of(said.link, said.raised, party_texts(case)),
        advice=advice,
    )


def _told(said: Quotation) -> tuple[Shape | None, str, list[str]]:
    """The shape that was yielded, what is wrong with the element, and what to do."""
    got, wanted = said.match["got"], said.match["wanted"]
    source = "in its first batches" if _FIRST_BATCHES.search(said.link.message) else "by its signature"
    if said.match.re is _SHAPE:
        return _shapes(sizes_in(got), sizes_in(wanted), source)
    if said.match.re is _TYPE:
        words = f"{_short(got)}, where a number of type {wanted} was expected {source}"
        return None, words, ["Convert it to a number before yielding it, or skip such elements."]
    if said.match.re is _SPEC:
        for one, other in zip(_PART.finditer(got), _PART.finditer(wanted), strict=False):
            if one["dtype"] != other["dtype"]:
                words = f"values of type {one['dtype']}, where {other['dtype']} was expected {source}"
                return None, words, [f"Yield them as {other['dtype']}, or declare {one['dtype']} in the signature."]
            if not conforms(sizes_in(one["shape"]), sizes_in(other["shape"])):
                return _shapes(sizes_in(one["shape"]), sizes_in(other["shape"]), source)
    if said.match.re is _STRUCTURE and got.startswith("[") and wanted.startswith("(") and re.search("[a-z']", got):
        # TensorFlow takes a list for one array, and a tuple for the parts of an element. A list of numbers alone may be
        # one part of it, and the others missing.
        given = re.match(r"yield\s+(?P<what>[^#]+)", said.place.source or "") if said.place else None
        what = given["what"].strip() if given else ""
        right = f"({what[1:-1]})" if what.startswith("[") else f"tuple({what})"
        fix = f"`yield {right}`" if what else "`yield tuple(element)`"
        return None, f"a list, where a tuple like {_short(wanted)} was expected {source}", [f"Write {fix}."]
    words = f"{_short(got)}, where an element like {_short(wanted)} was expected {source}"
    return None, words, ["Yield every element with the same parts, or skip those that lack one."]


def _shapes(got: Shape, wanted: Shape, source: str) -> tuple[Shape, str, list[str]]:
    words = f"an element of shape {shape_words(got)}, where {shape_words(wanted)} was expected {source}"
    if len(got) != len(wanted):
        words += f": {len(got)} axes vs {len(wanted)}"
        return got, words, ["Give all elements the same number of axes before yielding them."]
    differing = [at for at, pair in enumerate(zip(got, wanted, strict=True)) if not conforms([pair[0]], [pair[1]])]
    axes = " and ".join(map(str, differing))
    words += f": axis {axes} differs" if len(differing) == 1 else f": axes {axes} differ"
    varying = [None if at in differing else size for at, size in enumerate(wanted)]
    declared = shape_words(varying)
    if source.endswith("signature"):
        declare = f"if sizes may vary, declare {declared} in the signature and use `padded_batch`"
    else:
        declare = f"if sizes may vary, use an `Input` and a model that accept {declared}, and first batches that differ"
    return got, words, [f"Bring the element to {shape_words(wanted)} before yielding it; {declare}."]


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return f"`{flat}`" if len(flat) <= _LONGEST else f"`{flat[:_LONGEST]}…`"
