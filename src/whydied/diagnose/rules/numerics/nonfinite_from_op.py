"""An op left its domain, and what followed was not finite.

## What it detects
A step in which all inputs and weights were finite and an op of the forward pass or of the update gave NaN or an
infinite value: a logarithm or a square root of zero or less, a division by zero, a power, an exponential that
overflows, an arc cosine beyond one. Also code that trains nothing: what `predict` gives, and a value that the program's
own code reads, where that is NaN and the code around it does not expect NaN (`isnan`, `nanmean`).

## Why it happens
Most ops have values that they are not made for, and data meets them sooner or later: a probability that is exactly
zero, a row of zeros that is divided by its norm.

## Evidence
The captured step was run again, op by op, without the program's code. Of a value that overflowed in the first step, the
sizes along the layers: the line is then that of the layer from which on they grow. The first op on the way to the bad
value whose output was not finite is named with its line, its layer, its inputs, and the rows of the batch that brought
it.

Of a v1 session the weights are read now and then only. Where the bad run is not known, all runs since then are executed
again with what they were fed, optimizer included, and the first bad one is taken apart. Where all stay finite, the op
whose argument came within a millionth of the edge of its domain, with nothing that keeps it away, is told with that
number.

Where the op is to be kept in its domain by a number that is itself 0 in float16, the line is that of the number; where
its argument is the plain output of a layer, that of the layer; where a softmax got a row of -inf, that of the mask. Of
a CTC loss the labels are counted that need more frames than there are.

## How it is proved
Certain where the replay gave the bad values again and, where rows are named, was finite with other rows in their place.
Likely where the rows could not be tried, where runs of a session were left out or drew random numbers, where an op only
came near the edge of its domain, or where only the capture is known.

## Fix
Keep the op in its domain: `tf.math.log(tf.maximum(p, 1e-7))`, `tf.math.divide_no_nan`, a loss that takes logits. What
is written out where a function computes the same (`log(1 + exp(x))`) gets that function (`tf.math.softplus`).

## Known problems
Without a replay neither the op nor the rows are known. Of eager code outside of training the first 2,000 ops are
traced, and those after the first NaN that was read: a value that is read once, later, is told without its op. An op
inside a library has the line of the layer or of the call.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Finding
from whydied.diagnose.numerics import step_finding
from whydied.diagnose.numerics.bad_steps import LARGE, Story, extent, largest_weight, story
from whydied.diagnose.numerics.bad_value_place import op_place, passed_place
from whydied.diagnose.numerics.competing_causes import Rival, first_weights, rivals
from whydied.diagnose.numerics.data_changes import rows_left_out
from whydied.diagnose.numerics.forward_growth import forward_growth
from whydied.diagnose.numerics.guarding_changes import activated, guards_of, mask_line
from whydied.diagnose.numerics.loss_order import other_order
from whydied.diagnose.numerics.nonfinite_end import came_before_exception, led_to_end
from whydied.diagnose.numerics.op_advice import op_advice
from whydied.diagnose.numerics.symptom import (
    fed_of,
    is_overflow,
    number_in_words,
    op_words,
    rows_culprit,
    rows_words,
    same_throughout,
    source_name,
    turned,
    when,
)
from whydied.diagnose.numerics.unnormalised import Unnormalised, unnormalised
from whydied.diagnose.numerics.vanished_number import Vanished, vanished_number
from whydied.diagnose.numerics.weak_guard import weak_guard
from whydied.records import FoundOp

_PROBABILITY = (
    "Make it a probability (`softmax` or `sigmoid` as its activation), or use a loss that takes logits "
    "(`from_logits=True`, `tf.nn.softmax_cross_entropy_with_logits`)."
)
_POSITIVE = "Make it positive: `softplus` as its activation."
_SOFTMAXES = ("Softmax", "LogSoftmax")
_OVERFLOWING = frozenset({"Exp", "Square", "Softmax", "LogSoftmax", "Cosh", "Sinh", "Expm1"})
"""Ops with a domain of their own that large values overflow."""

ROLE = "cause"
explains_end = led_to_end
came_first = came_before_exception


def check(case: Case) -> Finding | None:
    told = story(case)
    if told is None or told.kind != "op":
        return None
    op = told.again.first if told.again else None
    if op is None:
        return step_finding.near_edge(case, told) or _bare(case, told)
    raw = unnormalised(case, told.step, op)
    if raw is not None:
        return step_finding.finding(
            case,
            told,
            f"{op_words(op)}: its argument is {raw.words}, which {_lacks(raw)} and can be negative",
            place=raw.location,
            culprit=_op_culprit(op),
            advice=[_POSITIVE if raw.positive else _PROBABILITY],
            changes=activated(case, raw, op),
        )
    grown = forward_growth(case, told) if is_overflow(op) or op.op in _OVERFLOWING else None
    start = first_weights(case, told) if is_overflow(op) or op.op in _OVERFLOWING else None
    if start is not None:
        return step_finding.finding(
            case,
            told,
            f"{op_words(op)}: {start.words}",
            place=start.location,
            culprit=Culprit(kind="weight", name=told.blame.name if told.blame is not None else None),
            certainty="likely",
            advice=[start.advice],
            changes=start.changes,
        )
    if grown is not None:
        return step_finding.finding(
            case,
            told,
            f"{op_words(op)}: {grown.words}",
            place=grown.location,
            culprit=Culprit(kind="layer", name=grown.layer),
            advice=["Start with smaller weights (Keras' own initializers), or normalise between the layers."],
            changes=grown.changes,
        )
    place = op_place(case, told.step, op.line)
    vanished = vanished_number(case, place, op)
    if vanished is not None:
        return _of_vanished(case, told, op, vanished)
    turned_round = other_order(case, place, op)
    if turned_round is not None:
        return step_finding.finding(
            case,
            told,
            f"{op_words(op)}: {turned_round.words}",
            place=turned_round.location,
            culprit=_op_culprit(op),
            certainty="likely",
            advice=[turned_round.advice],
            changes=turned_round.changes,
        )
    rows = rows_words(told)
    weights = told.blame is not None and told.blame.kind == "weights"
    same = same_throughout(told)
    throughout = f", {'which is' if rows.startswith('row ') else 'which are'} {same} throughout" if same else ""
    by = f", caused by {rows}{throughout}" if rows else _by_weights(told) if weights else _number(told)
    weak = weak_guard(case, place, op)
    why = f": {op.why}" if op.why else f": {weak.words}" if weak is not None else ""
    masked = mask_line(case, told.step, op) if op.op in _SOFTMAXES else None
    return step_finding.finding(
        case,
        told,
        f"{op_words(op)}{by}{why}",
        place=masked or (weak.place if weak is not None else place),
        culprit=_culprit(told, op),
        advice=[weak.advice] if weak is not None else [*_scaling(told), op_advice(case, told, op)],
        changes=(weak.changes if weak is not None else []) + guards_of(case, told.step, op)
        or rows_left_out(case, told),
    )


def check_rivals(case: Case) -> list[Rival]:
    """The rate, the scale of the data and the first weights, which can take an op out of its domain too."""
    told = story(case)
    return rivals(case, told, check(case)) if told is not None else []


def _of_vanished(case: Case, told: Story, op: FoundOp, vanished: Vanished) -> Finding:
    rows = rows_words(told)
    return step_finding.finding(
        case,
        told,
        f"{op_words(op)}{f', caused by {rows}' if rows else ''}: the {vanished.written} that is to prevent it is 0 in "
        f"{vanished.dtype}",
        place=vanished.location,
        culprit=Culprit(kind="option", name="epsilon", value=vanished.written, dtype=vanished.dtype),
        advice=[f"Use an epsilon that {vanished.dtype} can hold, such as 1e-3, or compute the op in float32."],
        changes=vanished.changes,
    )


def _lacks(raw: Unnormalised) -> str:
    return f"ends in {raw.activation}" if raw.activation else "has no activation"


def _scaling(told: Story) -> list[str]:
    """Where the batch as a whole brings it, and is far from one."""
    blame, fed = told.blame, fed_of(told)
    numbers = fed.numbers if fed is not None and fed.dtype.startswith("float") else None
    if blame is None or blame.kind != "rows" or numbers is None or blame.row_count < blame.batch_rows:
        return []
    largest = extent(numbers)
    name = source_name(told) or "the data"
    return [f"Scale {name} to around 1: it reaches {number_in_words(largest)} here."] if largest >= LARGE else []


def _by_weights(told: Story) -> str:
    """Ordinary weights that a trial with others made finite are not out of bounds: that is said differently."""
    if largest_weight(told.step) >= LARGE or told.blame is None:
        return ", whatever the rows: the weights cause it"
    return f", not by single rows: with other values in {told.blame.name} it is finite"


def _number(told: Story) -> str:
    """`, because tau is 0`: of a number of the program's that was shown to bring it."""
    blame = told.blame
    if blame is None or blame.kind != "op" or not blame.name or not blame.values:
        return ""
    return f", because {blame.name} is {blame.values[0]}"


def _culprit(told: Story, op: FoundOp) -> Culprit:
    if told.blame is not None and told.blame.rows:
        return rows_culprit(told)
    if told.blame is not None and _number(told):
        return Culprit(kind="variable", name=told.blame.name, value=told.blame.values[0])
    return _op_culprit(op)


def _op_culprit(op: FoundOp) -> Culprit:
    return Culprit(kind="op", name=op.op, value=op.inputs[0].at_bad[0] if op.inputs and op.inputs[0].at_bad else None)


def _batch(told: Story) -> str:
    capture = told.step.taken.capture
    known = capture is not None and any(value.role == "batch" and value.file is not None for value in capture.fed)
    return ", although its batch was finite" if known else ""


def _bare(case: Case, told: Story) -> Finding:
    """Without a replay the op is not known."""
    place = passed_place(case, told)
    return Finding(
        message=f"{prefix(place)}{turned(told.step)}{when(told.step)}{_batch(told)}: "
        "an op left its domain, or the values grew too large",
        certainty="possible",
        location=place,
        evidence=step_finding.evidence(told),
        advice=[step_finding.op_unknown(told.step)],
    )
