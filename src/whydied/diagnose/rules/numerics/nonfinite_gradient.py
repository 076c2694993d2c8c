"""The forward pass was finite, and a gradient was not.

## What it detects
A step whose loss was finite while an op of the backward pass gave NaN or an infinite value.

## Why it happens
The derivative of an op can be infinite where the op itself is not: `tf.norm` and `sqrt` at zero, `pow` with a power
below one, `acos` at one. And `tf.where` chooses values, not gradients: the branch that is not taken is differentiated
too, and zero times its infinite derivative is NaN.

## Evidence
The captured step was run again, op by op. The first op of the backward pass whose output was not finite is named, with
the line of the forward op that it belongs to.

## How it is proved
Certain where the replay gave the bad gradient again and, where rows are named, was finite with other rows in their
place.

## Fix
Keep the argument away from the point: `tf.sqrt(x + 1e-12)`, a norm as `tf.sqrt(tf.reduce_sum(x * x) + 1e-12)`. For
`tf.where`, make the argument safe inside the branch too: `tf.where(ok, 1 / tf.where(ok, x, 1.), 0.)`.

## References
tensorflow/tensorflow issue 38349.
"""

from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Culprit, Finding
from whydied.diagnose.numerics import step_finding
from whydied.diagnose.numerics.bad_steps import Story, loss_was_finite, story
from whydied.diagnose.numerics.bad_value_place import op_place, passed_place
from whydied.diagnose.numerics.competing_causes import Rival, rivals
from whydied.diagnose.numerics.guarding_changes import guards_of, stable_of
from whydied.diagnose.numerics.nonfinite_end import came_before_exception, led_to_end
from whydied.diagnose.numerics.op_advice import op_advice
from whydied.diagnose.numerics.symptom import op_words, rows_culprit, rows_words
from whydied.diagnose.numerics.weak_guard import weak_guard
from whydied.records import FoundOp

_ROOT = (
    "Keep the argument away from where the derivative is infinite: `tf.sqrt(tf.maximum(x, 1e-12))`, also inside a norm."
)
_DIVISOR = (
    "The derivative divides by 0 here: keep the divisor away from it (`a / (b + 1e-7)`, `tf.math.divide_no_nan(a, b)`) "
    "and the argument of a logarithm (`tf.math.log(x + 1e-7)`)."
)
_SAFE = {
    **dict.fromkeys(("RealDiv", "Reciprocal", "ReciprocalGrad", "Xdivy"), _DIVISOR),
    "Pow": "Keep the base of a power away from 0: `(x + 1e-7) ** p`.",
}
"""By the op of the backward pass."""
_INSIDE = (
    "The derivative of {name} is infinite at -1 and 1: keep its argument inside, "
    "`tf.{name}(tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6))`."
)
_FORWARD = {
    "Acos": _INSIDE.format(name="acos"),
    "Asin": _INSIDE.format(name="asin"),
    "Atanh": _INSIDE.format(name="atanh"),
    "Pow": _SAFE["Pow"],
    "Log": "The derivative of a logarithm divides by its argument: keep that above 0 (`tf.math.log(x + 1e-7)`).",
}
"""By the op that is differentiated."""
ROLE = "cause"
explains_end = led_to_end
came_first = came_before_exception


def check(case: Case) -> Finding | None:
    told = story(case)
    if told is None or told.kind != "gradient":
        return None
    op = told.again.first if told.again else None
    near = step_finding.near_edge(case, told) if op is None else None
    if near is not None:
        return near
    rows = rows_words(told)
    loss_is_bad = any(suspect.shows_loss for suspect in told.step.captured.suspects)
    # A replay looks at each op in turn: where it comes to the backward pass, the forward pass was finite.
    looked = loss_was_finite(told.step) or (op is not None and op.phase == "backward")
    words = (
        "the loss was finite, but its derivative was not"
        if looked and not loss_is_bad
        else "the derivative was not finite"
    )
    if op is not None:
        words += f": {op_words(op)}{f', caused by {rows}' if rows else ''}"
    place = op_place(case, told.step, op.line) if op is not None else passed_place(case, told)
    weak = weak_guard(case, place, op, derived=True) if op is not None else None
    if weak is not None:
        words += f": {weak.words}"
    guards = guards_of(case, told.step, op) if op is not None else []
    return step_finding.finding(
        case,
        told,
        words,
        place=weak.place if weak is not None else place,
        culprit=rows_culprit(told) if rows else Culprit(kind="op", name=op.op) if op is not None else None,
        certainty=None if op is not None else "possible",
        advice=[weak.advice] if weak is not None else _advice(case, told, op),
        changes=[*(weak.changes if weak is not None else []), *guards],
    )


def check_rivals(case: Case) -> list[Rival]:
    """What else may have taken the derivative there: the rate, the scale of the data."""
    told = story(case)
    return rivals(case, told, check(case)) if told is not None else []


def _advice(case: Case, told: Story, op: FoundOp | None) -> list[str]:
    if op is None:
        return [step_finding.op_unknown(told.step)]
    if op.phase == "forward" or stable_of(case, told.step, op) is not None:
        return [op_advice(case, told, op)]
    if op.forward in _FORWARD and op.op not in ("SqrtGrad", "RsqrtGrad"):
        return [_FORWARD[op.forward]]
    return [_SAFE.get(op.op, _ROOT)]
