"""whydied stopped the program at the first step that was not finite, as `--stop-on-nan` asks.

## What it detects
A run with `--stop-on-nan` that was ended at a captured step.

## Why it happens
It was asked for. What made the step bad is the finding below this one.

## Evidence
The captured step, which says that the program was stopped for it.

## How it is proved
The recorder stopped it itself: certain.

## Fix
See the finding below.

## Known problems
In a v1 session the update has already happened when it is noticed; the weights of before are in the capture.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Evidence, Finding
from whydied.diagnose.numerics.bad_steps import stopped_at
from whydied.diagnose.numerics.symptom import turned, when

ROLE = "death"
YIELDS_TO = ("memory-limit-reached",)


def check(case: Case) -> Finding | None:
    step = stopped_at(case)
    if step is None:
        return None
    place = case.locate_exception(case.uncaught.chain) if case.uncaught else None
    return Finding(
        message=f"{prefix(place)}whydied stopped {case.program} (--stop-on-nan): "
        f"{turned(step)}{when(step)}; the values of the step are in {step.captured.directory}",
        certainty="certain",
        location=place,
        evidence=[Evidence(fact="captured step", value=step.captured.directory, source="StepCaptured")],
    )
