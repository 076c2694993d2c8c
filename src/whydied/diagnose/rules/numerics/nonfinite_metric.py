"""A metric turned NaN or infinite, and nothing else.

## What it detects
A metric or a statistic that is not finite while the loss, the gradients and the weights are.

## Why it happens
A mean over no rows (0 / 0), a ratio whose divisor is zero in this batch, a logarithm in a metric of one's own.

## Evidence
The values that were written into the metrics of the step; its loss and gradients, which were finite.

## How it is proved
Certain where the step was run again and gave the same.

## Fix
Guard the division in the metric (`tf.math.divide_no_nan`). The training itself is not affected.

## Known problems
Metrics that are computed outside of the step (callbacks, NumPy) are not seen.
"""

from __future__ import annotations

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Culprit, Finding
from whydied.diagnose.numerics import step_finding
from whydied.diagnose.numerics.bad_steps import main_suspect, story
from whydied.diagnose.numerics.bad_value_place import op_place, passed_place
from whydied.diagnose.numerics.guarding_changes import guards_of
from whydied.diagnose.numerics.symptom import op_words, rows_words

ROLE = "cause"


def check(case: Case) -> Finding | None:
    told = story(case)
    if told is None or told.kind != "metric":
        return None
    op = told.again.first if told.again else None
    suspect = main_suspect(told.step.captured)
    rows = rows_words(told)
    words = "the loss and the gradients stayed finite"
    if op is not None:
        words += f"; it is {op_words(op)}{f', caused by {rows}' if rows else ''}"
    return step_finding.finding(
        case,
        told,
        words,
        place=op_place(case, told.step, op.line) if op is not None else passed_place(case, told),
        culprit=Culprit(kind="metric", name=suspect.name if suspect else None),
        advice=["Guard the metric (`tf.math.divide_no_nan`). The training itself is not affected."],
        changes=guards_of(case, told.step, op) if op is not None else [],
    )


def explains_end(case: Case) -> bool:
    """It is not a reason for a program to end."""
    return False
