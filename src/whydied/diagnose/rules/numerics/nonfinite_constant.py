"""A constant of the program is NaN or infinite, and a step computed with it.

## What it detects
A step whose first bad value is a constant of its graph: `np.inf` as a mask or a default, a scale that was computed as
one divided by zero, a class weight that is NaN.

## Why it happens
A number that was worked out beforehand in Python or NumPy becomes a constant of the traced step, and nothing looks at
it again. Infinite constants are right in some places (masks before a softmax, the start of a minimum), and wrong where
they meet zero or each other.

## Evidence
The captured step was run again, op by op: the way back from the bad value ends at a constant.

## How it is proved
Certain where the replay gave the bad values again with finite data and weights.

## Fix
Use a large finite number (`-1e9` for a mask), or mend the computation of the constant.

## Known problems
None.

## References
None.
"""

from __future__ import annotations

from whydied.diagnose import account
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Culprit, Finding
from whydied.diagnose.numerics import story
from whydied.diagnose.origin import op_place, passed_place
from whydied.diagnose.symptom import op_words


def check(case: Case) -> Finding | None:
    told = story(case)
    if told is None or told.kind != "constant" or told.blame is None:
        return None
    op = told.again.first if told.again else None
    value = told.blame.values[0] if told.blame.values else "not finite"
    at = f", met in {op_words(op)}" if op is not None and op.op != "Const" else ""
    return account.finding(
        case,
        told,
        f"a constant of the step is {value}{at}",
        place=op_place(case, told.step, op.line) if op is not None else passed_place(case, told),
        culprit=Culprit(kind="constant", name=told.blame.name or None, value=value),
        advice=["Use a large finite number instead (-1e9 in a mask), or mend what computes the constant."],
    )
