"""The data of `fit` ended before the steps that it was asked for.

## What it detects
`fit` that came back early, with fewer steps than `steps_per_epoch` times `epochs`, because its data set or generator
had no more batches. Keras only warns, and the program goes on with a model that is trained less than it seems.

## Why it happens
`steps_per_epoch` was written for another batch size or another number of rows; a generator that does not begin anew
(`while True`), or a data set without `repeat`, is used up in the first epoch.

## Evidence
The arguments of the call, the steps that ran, and the warning of Keras.

## How it is proved
The warning says that the data ended, and the recorded steps are fewer than those asked for: certain.

## Fix
As many steps as there are batches, no `steps_per_epoch` at all, or data that begin anew.
"""

from __future__ import annotations

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import CallBegan, CallEnded, StepBegan, WarningIssued
from whydied.source.training.batch_sizes import keyword_place
from whydied.texts import data_pipelines

ROLE = "cause"


def explains_end(case: Case) -> bool:
    """Keras goes on after it."""
    return False


def check(case: Case) -> Finding | None:
    said = _warning(case)
    if case.principal is None or said is None:
        return None
    ended = {one.call for one in case.principal.all(CallEnded) if one.raised is None}
    for call in case.principal.all(CallBegan):
        epochs = int(call.arguments.get("epochs") or 1) - int(call.arguments.get("initial_epoch") or 0)
        each = call.arguments.get("steps_per_epoch")
        began = [one for one in case.principal.all(StepBegan) if one.call == call.call and one.unit == "train"]
        if call.kind != "fit" or call.call not in ended or type(each) is not int or not began:
            continue
        # The last one began, and then there was no batch for it.
        ran = began[-1].count - began[0].count
        if 0 < ran < each * epochs:
            return _finding(case, call, said, each=each, epochs=epochs, ran=ran)
    return None


def _finding(case: Case, call: CallBegan, said: Evidence, *, each: int, epochs: int, ran: int) -> Finding:
    mine = [frame for frame in call.frames if frame.user]
    place = keyword_place(case.sources, "steps_per_epoch", each) or (case.locate(mine[-1]) if mine else None)
    asked = f"{each:,} steps" if epochs == 1 else f"{epochs:,} epochs of {each:,} steps"
    source = call.arguments.get("x")
    kind = source.get("type", "") if isinstance(source, dict) else ""
    return Finding(
        message=f"{prefix(place)}`fit` was asked for {asked}, but its data ended after {words.count(ran, 'step')}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="argument", name="steps_per_epoch", value=str(each)),
        evidence=[
            Evidence(fact="steps asked for and done", value=f"{each * epochs:,} and {ran:,}", source="StepBegan"),
            said,
        ],
        advice=_advice(ran, each, epochs, "generator" in kind),
    )


def _advice(ran: int, each: int, epochs: int, from_generator: bool) -> list[str]:
    again = (
        "begin the generator anew: `while True:` around its loop" if from_generator else "add `.repeat()` to the data"
    )
    if epochs > 1 and ran >= each:
        return [f"The data are used up in epoch {ran // each + 1}: {again}."]
    if epochs == 1:
        return [f"The data have {words.count(ran, 'batch', 'batches')}: use `steps_per_epoch={ran}`, or {again}."]
    return [
        f"The data have {words.count(ran, 'batch', 'batches')}: use `steps_per_epoch={ran}` for one pass per epoch, "
        f"and {again}."
    ]


def _warning(case: Case) -> Evidence | None:
    pattern = data_pipelines.RAN_OUT.pattern
    warned = case.principal.all(WarningIssued) if case.principal else []
    found = next((one.message for one in warned if pattern.search(one.message)), None)
    # The Keras of TensorFlow 2.15 logs it.
    logged = pattern.search(case.recording.output)
    if found is None and logged is None:
        return None
    text = found if found is not None else logged[0] if logged else ""
    return Evidence(fact="Keras warned", value=text.split(".")[0], source="WarningIssued" if found else "OutputWritten")
