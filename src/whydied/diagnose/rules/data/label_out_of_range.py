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
The exception names the label: certain. Where every label from 0 to the largest one occurs, the line that fixes the
number of units is told. Without one (a GPU computes NaN and says nothing), where a step of that call
had values that are not finite: likely.

## Fix
Subtract one from labels that count from one; give the last layer as many units as there are classes; use
`binary_crossentropy` for one output and labels of 0 and 1; fix or drop the other rows.

## Known problems
Labels that the program makes while it runs (in `Dataset.map`, in a generator) are known by the batch only. Of several
arrays that hold the same label the one with the quoted batch in it is named.

## References
tensorflow/tensorflow issues 8484, 10268, 56979.
"""

from __future__ import annotations

import msgspec

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors import range_edits, ranges
from whydied.diagnose.errors.advice import Advice, Way, advised, changes_of
from whydied.diagnose.errors.framework_error import framework_error
from whydied.diagnose.errors.written_numbers import table_default
from whydied.diagnose.finding import Evidence, Finding, Location
from whydied.records import DataSeen
from whydied.source.edits.edit import Change, over
from whydied.source.origins.near_texts import near_text
from whydied.source.trees import located

ROLE = "explanation"
YIELDS_TO = ("index-out-of-range",)


def check(case: Case) -> Finding | None:
    found = ranges.check(case, "label")
    if found is None:
        return None
    finding, bad = found
    values = {int(float(value)) for value in bad.broken.values}
    table = table_default(case, values.pop()) if len(values) == 1 else None
    if table is not None:
        return _not_in_table(case, finding, bad, table)
    is_binary = int(bad.broken.term.high or 0) == 1 and _are_zero_and_one(case, bad)
    if is_binary:
        finding = _at_loss(case, finding)
    advice = _binary(case, bad) if is_binary else _advice(case, finding, bad)
    if not advice.changes:
        # The gentlest that can be written for any data: what lies outside becomes the nearest that does not.
        high = int(bad.broken.term.high or 0) - 1
        clipped = Way(
            f"clip the labels to 0 to {high}", range_edits.clipped(case, bad, bad.called or finding.location, high)
        )
        advice = advice._replace(changes=changes_of("labels", [clipped]))
    return msgspec.structs.replace(finding, advice=advice.sentences, changes=advice.changes)


def _at_loss(case: Case, finding: Finding) -> Finding:
    """The finding at the line of `compile`: the data are right, and the loss is not."""
    error = framework_error(case)
    compiled = error.facts.compiled if error is not None else None
    if compiled is None:
        return finding
    place = case.locate(compiled)
    message = finding.message.removeprefix(prefix(finding.location))
    return msgspec.structs.replace(finding, location=place, message=f"{prefix(place)}{message}")


def _not_in_table(case: Case, finding: Finding, bad: ranges.Bad, table: Location) -> Finding:
    """A name that a lookup table does not have became its default."""
    value = bad.broken.values[0]
    told = finding.message.removeprefix(prefix(finding.location))
    seen = Evidence(fact=f"{value} is the default of the table at", value=table.whole, source="the source")
    near = near_text(case.project)
    if near is None:
        advice = (
            f"The table on {line_words(table)} gives {value} for a name that it does not have: compare the names in "
            "the data with those that the table is made from, letter by letter."
        )
        return msgspec.structs.replace(
            finding,
            message=f"{prefix(table)}this table gives {value} for a name that it does not have; {told}",
            location=table,
            evidence=[*finding.evidence, seen],
            advice=[advice],
        )
    place = located(case.project, near.file, near.node.lineno)
    other = located(case.project, near.other_file, near.other)
    source, wanted = case.project[near.file], f'"{near.meant}"'
    change = Change(title=f"Write {wanted}", kind="near-name", edits=[over(source, near.file, near.node, wanted)])
    return msgspec.structs.replace(
        finding,
        message=(
            f'{prefix(place)}`{near.name}` has "{near.text}", and the list on {line_words(other)} {wanted}: the '
            f"table on {line_words(table)} gives {value} for a name that it does not have; {told}"
        ),
        certainty="likely",
        location=place,
        evidence=[*finding.evidence, seen],
        advice=[f"Write {wanted} in `{near.name}`, as the data have it."],
        changes=[change],
    )


def _are_zero_and_one(case: Case, bad: ranges.Bad) -> bool:
    """By all labels that the call was given, or by those that were refused."""
    seen = [one for one in case.records.all(DataSeen) if one.role == "target"]
    if seen:
        return seen[-1].distinct == [0.0, 1.0]
    return (bad.least, bad.greatest) == (0, 1)


def _binary(case: Case, bad: ranges.Bad) -> Advice:
    layer = ranges.layer_words(bad, "the last layer")
    words = (
        f"{layer[:1].upper()}{layer[1:]} has one output and the labels are 0 and 1: that is `binary_crossentropy` "
        "(with a sigmoid, or `from_logits=True` without), not a loss over classes."
    )
    return advised(words, "loss", Way("use `binary_crossentropy`", range_edits.of_two_classes(case)))


def _advice(case: Case, finding: Finding, bad: ranges.Bad) -> Advice:
    classes = int(bad.broken.term.high or 0)
    layer = ranges.layer_words(bad, "the last layer")
    if (bad.least, bad.greatest) == (1, classes):
        words = f"The labels count from 1 to {classes}; the loss counts classes from 0. Subtract 1: `{bad.name} - 1`."
        edits = range_edits.values(bad, case, bad.called or finding.location, "y", "{x} - 1")
        return advised(words, "labels", Way(f"subtract 1: `{bad.name} - 1`", edits))
    if ranges.are_below(bad):
        words = (
            "A negative label is not a class: drop these rows, or use `ignore_class` of the loss if it marks a "
            "missing label."
        )
        marks = set(bad.broken.values)
        edits = range_edits.ignoring(case, marks.pop()) if len(marks) == 1 else None
        return advised(words, "loss", Way("use `ignore_class` of the loss", edits))
    if bad.greatest is not None and bad.least is not None and bad.least >= 0 and bad.greatest < 2 * classes:
        needed = int(bad.greatest) + 1
        words = (
            f"If the labels are right, there are {needed} classes and {layer} needs as many units; it "
            f"has {classes}. Otherwise fix or drop these rows."
        )
        if bad.size is not None:
            words = f"Give {layer} {needed} units, one for each class; it has {classes}."
        edits = range_edits.size(case, bad.limit, bad.made, "units", classes, needed)
        return advised(words, "layer", Way(f"give {layer} {needed} units, one for each class", edits))
    told = f"The classes are 0 to {classes - 1}, given by {layer}."
    if not ranges.are_all_rows(bad):
        return Advice([f"{told} Fix or drop these rows."], [])
    highest = ranges.only_other(bad)
    if highest is not None and classes == 2:
        words = (
            f"{told} All rows hold 0 and {highest}: `{bad.name} // {highest}`, where they are read, makes it 0 and 1."
        )
        edits = range_edits.values(bad, case, bad.called or finding.location, "y", f"{{x}} // {highest}")
        return advised(words, "labels", Way(f"`{bad.name} // {highest}` makes it 0 and 1", edits))
    words = (
        f"{told} All rows have such labels: number them from 0, for example with "
        f"`np.unique({bad.name}, return_inverse=True)[1]`."
    )
    # More kinds than the model has classes would still be out of range: how many there are is not known.
    return Advice([words], [])
