"""A label is not a class of the model.

## What it detects
Labels below zero or not below the number of outputs, in a loss over sparse labels: with `fit`, in a loop of the
program's own, inside of a `tf.function`, in a v1 session.

## Why it happens
Labels that count from one, a class more in the data than in the last layer, -1 for a missing label, a column in the
place of another.

## Evidence
The exception with the label and the range; the whole of the labels, looked at in the program: those that were given to
the call, or those that flow into the line that failed. Only data that hold the very label that was refused count.

## How it is proved
The exception names the label: certain. Without one (a GPU computes NaN and says nothing), where a step of that call
had values that are not finite: likely.

## Fix
Subtract one from labels that count from one; give the last layer as many units as there are classes; fix or drop
the other rows.

## Known problems
Labels that the program makes while it runs (in `Dataset.map`, in a generator) are known by the batch only. Of several
arrays that hold the same label the one with the quoted batch in it is named.

## References
tensorflow/tensorflow issues 8484, 10268, 56979.
"""

from __future__ import annotations

import msgspec

from whydied.diagnose.case import Case
from whydied.diagnose.errors import ranges
from whydied.diagnose.finding import Finding

ROLE = "explanation"
YIELDS_TO = ("index-out-of-range",)


def check(case: Case) -> Finding | None:
    found = ranges.check(case, "label")
    if found is None:
        return None
    finding, bad = found
    return msgspec.structs.replace(finding, advice=[_advice(bad)])


def _advice(bad: ranges.Bad) -> str:
    classes = int(bad.broken.term.high or 0)
    layer = ranges.layer_words(bad, "the last layer")
    if (bad.least, bad.greatest) == (1, classes):
        return f"The labels count from 1 to {classes}; the loss counts classes from 0. Subtract 1: `{bad.name} - 1`."
    if ranges.are_below(bad):
        return (
            "A negative label is not a class: drop these rows, or use `ignore_class` of the loss if it marks a "
            "missing label."
        )
    if bad.greatest is not None and bad.least is not None and bad.least >= 0 and bad.greatest < 2 * classes:
        return (
            f"If the labels are right, there are {int(bad.greatest) + 1} classes and {layer} needs as many units; it "
            f"has {classes}. Otherwise fix or drop these rows."
        )
    told = f"The classes are 0 to {classes - 1}, given by {layer}."
    if not ranges.are_all_rows(bad):
        return f"{told} Fix or drop these rows."
    highest = ranges.only_other(bad)
    if highest is not None and classes == 2:
        return (
            f"{told} All rows hold 0 and {highest}: `{bad.name} // {highest}`, where they are read, makes it 0 and 1."
        )
    return (
        f"{told} All rows have such labels: number them from 0, for example with "
        f"`np.unique({bad.name}, return_inverse=True)[1]`."
    )
