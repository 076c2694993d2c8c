"""A value was too large for half precision, and finite in a wider type.

## What it detects
A step in which an op on float16 (largest value 65,504) or bfloat16 gave an infinite value or NaN that it does not
give in float32.

## Why it happens
Sums over many elements, squares, exponentials and unnormalised data leave the range of float16 early. Mixed precision
guards gradients by scaling the loss, and does not guard the forward pass.

## Evidence
The captured step was run again, op by op, and the first bad op once more with its inputs in float32.

## How it is proved
Certain where the op was finite in float32. Likely where only the capture is known, with an infinite value of a half
type.

## Fix
Compute this layer in float32 (`dtype="float32"`), as the last layer and the loss should always be; scale the data; use
bfloat16, whose range is that of float32. Where the weights themselves are float16 (`set_floatx`), a larger epsilon
(`set_epsilon(1e-4)`) or a policy of mixed precision.

## References
The guide "Mixed precision" of TensorFlow.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.finding import Culprit, Finding
from whydied.diagnose.numerics import step_finding
from whydied.diagnose.numerics.bad_steps import story
from whydied.diagnose.numerics.bad_value_place import op_place, passed_place
from whydied.diagnose.numerics.guarding_changes import held_number, wider
from whydied.diagnose.numerics.half_weights import EPSILON, HalfWeights, half_weights, of_keras_3
from whydied.diagnose.numerics.nonfinite_end import came_before_exception, led_to_end
from whydied.diagnose.numerics.symptom import op_words, rows_culprit, rows_words

ROLE = "cause"
explains_end = led_to_end
came_first = came_before_exception


def check(case: Case) -> Finding | None:
    told = story(case)
    if told is None or told.kind != "precision":
        return None
    op = told.again.first if told.again else None
    dtype = op.output.dtype if op is not None and op.output is not None else "half precision"
    words = f"a value too large for {dtype}"
    if op is not None:
        words = f"{op_words(op)} overflows {dtype}, but is finite in float32"
    half = half_weights(case, told.step)
    if half is not None:
        return step_finding.finding(
            case,
            told,
            f"{words}; the weights themselves are float16 (`set_floatx`, {line_words(half.made_at)}), so the "
            "optimizer's update is computed in it too, where an epsilon of 1e-7 and the squares of small gradients are "
            f"next to 0{_in_vain(half)}",
            place=half.location,
            culprit=Culprit(kind="option", name="floatx", value="float16", dtype=dtype),
            certainty="likely",
            advice=[
                f"Set an epsilon that float16 can tell from 0 (`{_setting(case)}`), or keep the weights in "
                'float32: the policy "mixed_float16" instead of `set_floatx`.'
            ],
            changes=half.changes,
        )
    rows = rows_words(told)
    place = op_place(case, told.step, op.line) if op is not None else passed_place(case, told)
    held = held_number(case, place)
    layer = op.line.layer if op is not None and op.line is not None else ""
    return step_finding.finding(
        case,
        told,
        words + (f"; caused by {rows}" if rows else ""),
        place=place,
        culprit=rows_culprit(told) if rows else Culprit(kind="op", name=op.op if op else None, dtype=dtype),
        advice=[
            *(f"{change.title}: float16 ends at 65,504." for change in held),
            f'Compute {f"layer {layer}" if layer else "this op"} in float32 (`dtype="float32"`), or scale its input.',
            "bfloat16 has the range of float32 (policy `mixed_bfloat16`).",
        ],
        changes=held or wider(case, op),
    )


def _setting(case: Case) -> str:
    return f"Adam(…, epsilon={EPSILON})" if of_keras_3(case) else f"set_epsilon({EPSILON})"


def _in_vain(half: HalfWeights) -> str:
    if half.set_in_vain is None:
        return ""
    return f"; `set_epsilon` ({line_words(half.set_in_vain)}) does not change that of the optimizer"
