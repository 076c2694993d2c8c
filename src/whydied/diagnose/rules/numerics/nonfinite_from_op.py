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

## How it is proved
Certain where the replay gave the bad values again and, where rows are named, was finite with other rows in their place.
Likely where the rows could not be tried, or where only the capture is known.

## Fix
Keep the op in its domain: `tf.math.log(tf.maximum(p, 1e-7))`, `tf.math.divide_no_nan`, a loss that takes logits.

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
from whydied.diagnose.numerics.forward_growth import forward_growth
from whydied.diagnose.numerics.guarding_changes import activated, guards_of
from whydied.diagnose.numerics.nonfinite_end import led_to_end
from whydied.diagnose.numerics.symptom import (
    fed_of,
    is_overflow,
    number_in_words,
    of_nothing,
    op_words,
    rows_culprit,
    rows_words,
    source_name,
    turned,
    when,
)
from whydied.diagnose.numerics.unnormalised import Unnormalised, unnormalised
from whydied.records import FoundOp

_SOFTMAX = (
    "The softmax of a row that is masked entirely with -inf is undefined: mask with a large negative number "
    "(`-1e9`), or drop such rows. The same holds for an infinite score: limit what goes into it."
)
_SAFE = {
    "Log": "Keep its argument above zero: `tf.math.log(tf.maximum(x, 1e-7))`, or use a loss that takes logits.",
    "Sqrt": "Keep its argument above zero: `tf.sqrt(tf.maximum(x, 1e-12))`.",
    "Rsqrt": "Add a small number under the root: `tf.math.rsqrt(x + 1e-12)`.",
    "RealDiv": "Guard the division: `tf.math.divide_no_nan(a, b)`, or add a small number to the divisor.",
    "Div": "Guard the division: `tf.math.divide_no_nan(a, b)`, or add a small number to the divisor.",
    "Reciprocal": "Guard the division: `tf.math.divide_no_nan(1., x)`.",
    "Exp": "Bound its argument: `tf.exp(tf.minimum(x, 80.))`, or stay in logarithms (`tf.reduce_logsumexp`).",
    "Softmax": _SOFTMAX,
    "LogSoftmax": _SOFTMAX,
    "Log1p": "Keep its argument above -1: `tf.math.log1p(tf.maximum(x, -1 + 1e-7))`.",
    "Expm1": "Bound its argument: `tf.math.expm1(tf.minimum(x, 80.))`.",
    "Square": "The square overflows: scale its input, or limit it (`tf.clip_by_value`).",
    "Acosh": "Keep its argument above one: `tf.acosh(tf.maximum(x, 1 + 1e-6))`.",
    "Atanh": "Clip its argument: `tf.atanh(tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6))`.",
    "Xdivy": "Guard the division: `tf.math.divide_no_nan(a, b)`, or add a small number to the divisor.",
    "Pow": "A fractional power needs a non-negative base, a negative power a nonzero base.",
    "Acos": "Clip its argument: `tf.acos(tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6))`.",
    "Asin": "Clip its argument: `tf.asin(tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6))`.",
}

_OVERFLOWING = frozenset({"Exp", "Square", "Softmax", "LogSoftmax", "Cosh", "Sinh", "Expm1"})
"""Ops with a domain of their own that large values overflow."""

ROLE = "cause"
explains_end = led_to_end


def check(case: Case) -> Finding | None:
    told = story(case)
    if told is None or told.kind != "op":
        return None
    op = told.again.first if told.again else None
    if op is None:
        return _bare(case, told)
    raw = unnormalised(case, op)
    if raw is not None:
        return step_finding.finding(
            case,
            told,
            f"{op_words(op)}: its argument is {raw.words}, which {_lacks(raw)} and can be negative",
            place=raw.location,
            culprit=_op_culprit(op),
            advice=[
                "Make it a probability (`softmax` or `sigmoid` as its activation), or use a loss that takes logits "
                "(`from_logits=True`, `tf.nn.softmax_cross_entropy_with_logits`)."
            ],
            changes=activated(case, raw, op),
        )
    grown = forward_growth(case, told) if is_overflow(op) or op.op in _OVERFLOWING else None
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
    rows = rows_words(told)
    weights = told.blame is not None and told.blame.kind == "weights"
    by = f", caused by {rows}" if rows else _by_weights(told) if weights else _number(told)
    return step_finding.finding(
        case,
        told,
        f"{op_words(op)}{by}",
        place=op_place(case, told.step, op.line),
        culprit=_culprit(told, op),
        advice=[*_scaling(told), _advice(op)],
        changes=guards_of(case, told.step, op),
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


def _advice(op: FoundOp) -> str:
    if of_nothing(op):
        return (
            "Skip what has no values, or divide safely: `tf.math.divide_no_nan(tf.reduce_sum(x), n)` is 0 where n is 0."
        )
    if op.op not in _SAFE and is_overflow(op):
        return (
            "The result is too large for its type: keep its inputs small, with scaled data, smaller initial weights, "
            "or a limit (`tanh`, `tf.clip_by_value`) between repeated products."
        )
    return _SAFE.get(op.op, f"Keep the inputs of {op.op} in its domain, or look at the rows that cause it.")


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
        advice=[
            step_finding.REPLAY_WAS_FINITE
            if told.step.taken.replay is not None
            else "`whydied run` without --no-replay replays the step and names the op."
        ],
    )
