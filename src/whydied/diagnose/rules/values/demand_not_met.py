"""A value does not meet what the call that it was passed to demands of it.

## What it detects
Calls that refuse their arguments for what they hold: lengths beyond the time axis (CTC), ids that are not sorted, a cut
larger than the picture, classes beyond `num_classes`, more columns than there are, a TensorArray that is full, targets
with another number of axes than a metric takes; a Python function in a graph that returns other types than it declares;
values of another kind than the list of a feature; a preprocessing layer that was never adapted, or too late; a
directory in the place of a checkpoint; settings after the first op; the length of data that cannot be counted.

## Why it happens
The library says what it demands in a sentence, and not which of the two values that disagree is the wrong one, nor
where it comes from.

## Evidence
What each parameter of the library's function was given, with shapes and the lowest and highest number, looked at while
the frames were alive; the layer at work; the source.

## How it is proved
The recorded values break the demand: certain. Where the source alone tells which line came first: likely. Where neither
shows it, nothing is said.

## Fix
The value that fits, in the words of the line; see the advice of the finding. For a layer that was never adapted:
`adapt` on the data that the failing statement is computed from, where both are in sight, or on a parameter that is
added to the function that makes the layer.

## References
TensorFlow documentation: tf.nn.ctc_loss, tf.math.segment_sum, tf.sparse.reorder, tf.image.random_crop,
tf.numpy_function, tf.train.Feature.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.demands import (
    argument_sizes,
    declared,
    entries,
    files,
    sequence,
    targets,
    unadapted_layers,
)
from whydied.diagnose.errors.demands.demand import Scene
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.framework_error import shape_words
from whydied.diagnose.errors.quotation import quoted
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import ErrorFacts, Party

ROLE = "explanation"
_ENTRIES = (
    *argument_sizes.ENTRIES,
    *unadapted_layers.ENTRIES,
    *sequence.ENTRIES,
    *declared.ENTRIES,
    *targets.ENTRIES,
    *files.ENTRIES,
    *entries.ENTRIES,
)


def check(case: Case) -> Finding | None:
    if case.principal is None or case.uncaught is None:
        return None
    for entry in _ENTRIES:
        said = quoted(case, entry.pattern)
        if said is None:
            continue
        index = said.raised.chain.index(said.link)
        facts = [one for one in case.principal.all(ErrorFacts) if one.link == index]
        told = entry.tell(Scene(case, said, facts[-1] if facts else None))
        if told is None:
            continue
        place = told.place or said.place
        return Finding(
            message=f"{prefix(place)}{told.words}",
            certainty=told.certainty,
            location=place,
            culprit=Culprit(kind="value", name=told.culprit or None),
            evidence=[*evidence_of(said.link, said.raised)[:1], *_arguments(facts[-1].arguments if facts else [])],
            advice=told.advice.sentences,
            changes=told.advice.changes,
        )
    return None


def _arguments(parties: list[Party]) -> list[Evidence]:
    """The arguments with their sizes and numbers."""
    found = []
    for one in parties[:4]:
        if one.shape is None:
            continue
        numbers = f", {one.lowest} to {one.highest}" if one.lowest is not None else ""
        name = f"`{one.text}` ({one.role})" if one.text else f"`{one.role}`"
        value = f"{shape_words(one.shape)} {one.dtype or ''}".strip()
        found.append(Evidence(fact=f"{name} was given", value=f"{value}{numbers}", source="ErrorFacts"))
    return found
