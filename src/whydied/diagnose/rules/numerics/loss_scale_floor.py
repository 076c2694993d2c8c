"""Mixed precision lowered its loss scale to the floor: the gradients are not finite at any scale.

## What it detects
A dynamic loss scale of one or less. It begins at 32,768 and is halved at each step whose gradients are not finite; such
a step is skipped.

## Why it happens
Now and then a skipped step is how mixed precision is meant to work. A scale that only falls says that the gradients are
not finite whatever the scale: the forward pass overflows or holds NaN. The weights then stand still while the program
seems to train.

## Evidence
The loss scale that the recorder saw last.

## How it is proved
The scale is direct evidence that steps were skipped in a row: certain.

## Fix
Look for what is not finite without the scale: run once in float32, or with `--stop-on-nan` and another policy. Compute
the last layer and the loss in float32.

## Known problems
Which op it was is not known: skipped steps are not captured. The line is that of the step, or the one that made the
optimizer.

## References
The guide "Mixed precision" of TensorFlow.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.diagnose.numerics.bad_steps import story
from whydied.diagnose.numerics.guarding_changes import as_change, risky_derivatives, wider
from whydied.diagnose.numerics.symptom import number_in_words
from whydied.records import NormsSeen
from whydied.source.trees import located

FLOOR = 1.0
MOST_GUARDS = 4

ROLE = "cause"
YIELDS_TO = ("nonfinite-weights",)


def check(case: Case) -> Finding | None:
    told = story(case)
    seen = [norms for norms in case.records.all(NormsSeen) if norms.scale is not None]
    if told is not None or not seen or seen[-1].scale is None or seen[-1].scale > FLOOR:
        return None
    last = seen[-1]
    mine = [frame for one in seen for frame in one.frames if frame.user]
    made = next((one.optimizer_made for one in reversed(seen) if one.optimizer_made is not None), None)
    place = case.locate(mine[-1]) if mine else case.locate(made) if made is not None else None
    function = next((one.function for one in reversed(seen) if one.function), "")
    of = f" of {function}" if function else ""
    scale = number_in_words(last.scale or 0.0)
    return Finding(
        message=f"{prefix(place)}the loss scale{of} fell to {scale}: the gradients are not finite "
        "at any scale, and the steps are skipped, so the weights no longer change",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="option", name="loss_scale", value=scale),
        evidence=[Evidence(fact="loss scale", value=last.scale, source="NormsSeen")],
        advice=[
            "Run once without mixed precision: whydied can then name the op and the rows.",
            'Compute the last layer and the loss in float32 (`dtype="float32"`); bfloat16 has the range of float32.',
        ],
        changes=wider(case, None),
    )


def check_rivals(case: Case) -> list[tuple[str, Finding]]:
    """The ops of the program whose derivative is infinite somewhere: such a gradient is NaN at any scale."""
    found = []
    for guard in risky_derivatives(case)[:MOST_GUARDS]:
        place = located(case.sources, guard.edits[0].file, guard.edits[0].start[0])
        change = as_change(guard)
        finding = Finding(
            message=f"{prefix(place)}a derivative that is not finite at any loss scale",
            certainty="possible",
            location=place,
            advice=[f"{guard.title}."],
            changes=[change],
        )
        found.append(("nonfinite-gradient", finding))
    return found


def explains_end(case: Case) -> bool:
    """It is not a reason for a program to end."""
    return False
