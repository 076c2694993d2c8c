"""A call was given data that never end, and nobody told it how many steps to take.

## What it detects
`fit`, `evaluate` or `predict` that was still in its first pass when the run was ended, with a generator that yields in
a loop without end, or a data set that is repeated for ever, and without `steps_per_epoch` or `steps`; or `fit` that was
still in its first validation, with such `validation_data` and without `validation_steps`.

## Why it happens
Keras takes batches until there are none left. A generator for Keras 2 was written to go on for ever, and `repeat()`
without a number does the same.

## Evidence
The call and what it was given; the loop or the `repeat()` in the source; the steps that were counted.

## How it is proved
Likely: the call had no number of steps, what it was given has no end by the source, and its first pass went on until
the run was ended.

## Fix
Pass `steps_per_epoch=` (to `fit`) or `steps=`: the number of batches in one pass; or let the data end.

## Known problems
A callback that ends the training by itself is not looked for.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.diagnose.memory.endless_calls import EndlessCall, endless_call
from whydied.records import EpochBegan, StepBegan
from whydied.source.edits.call_edits import add_argument, calls_at
from whydied.source.edits.edit import Change
from whydied.source.training.mirrored_steps import mirrored_steps
from whydied.source.trees import located

ROLE = "cause"


def check(case: Case) -> Finding | None:
    found = endless_call(case) if case.was_stopped else None
    steps = [step for step in case.records.all(StepBegan) if found is not None and step.call == found.call.call]
    if found is None or not steps or len(case.records.all(EpochBegan)) > 1:
        return None
    if found.validates and not _validates(found, steps):
        return None
    goes_on = (
        f"the first validation, after {len(steps):,} steps of training, was still going on"
        if found.validates
        else f"step {len(steps):,} of the first pass was running"
    )
    where = line_words(located(case.sources, found.data.file, found.data.line))
    return Finding(
        message=f"{prefix(found.place)}`{found.call.kind}` takes batches of `{found.data.data}` until it ends, and it "
        f"never does: {found.data.what} ({where}); {goes_on}",
        certainty="likely",
        location=found.place,
        culprit=Culprit(kind="argument", name=found.data.data),
        evidence=[
            Evidence(fact=f"`{found.word}` of the call", value="not given", source="CallBegan"),
            Evidence(fact="steps so far", value=len(steps), source="StepBegan"),
        ],
        advice=[f"Pass `{found.word}=…` to `{found.call.kind}`: the rows of one pass divided by the batch size."],
        changes=_with_steps(case, found),
    )


def _with_steps(case: Case, found: EndlessCall) -> list[Change]:
    """The steps of a validation, written like those of the training."""
    source = case.project.get(found.place.file)
    calls = calls_at(source, found.place.line, found.call.kind) if source is not None and found.validates else []
    steps = mirrored_steps(calls[0]) if len(calls) == 1 else None
    if source is None or steps is None:
        return []
    edit = add_argument(source, found.place.file, calls[0], f"{found.word}={steps}")
    return [Change(title=f"Pass `{found.word}={steps}`", kind="argument", edits=[edit])]


def _validates(found: EndlessCall, steps: list[StepBegan]) -> bool:
    """Whether the training of the epoch was done: by the steps that it was told to take, or by one that tests."""
    wanted = found.call.arguments.get("steps_per_epoch")
    return steps[-1].unit == "test" or (isinstance(wanted, int) and len(steps) >= wanted)
