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

import ast

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import CallBegan, CallEnded, StepBegan, WarningIssued
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.call_edits import only_call, set_argument
from whydied.source.edits.edit import Change, Edit, over
from whydied.source.edits.import_edits import module_names
from whydied.source.edits.programs.pipeline_edits import begun_anew, repeated
from whydied.source.generators import only_generator
from whydied.source.numbers import constants, evaluate
from whydied.source.text import Source
from whydied.source.training.batch_sizes import keyword_place
from whydied.source.trees import around, function_at, located, walk
from whydied.texts import data_pipelines

ROLE = "cause"


def explains_end(case: Case) -> bool:
    """Keras goes on after it."""
    return False


def check(case: Case) -> Finding | None:
    said = _warning(case)
    if case.principal is None or said is None:
        return None
    ended = {one.call: at_s for at_s, one in case.principal.timed(CallEnded) if one.raised is None}
    for began_s, call in case.principal.timed(CallBegan):
        epochs = int(call.arguments.get("epochs") or 1) - int(call.arguments.get("initial_epoch") or 0)
        each = call.arguments.get("steps_per_epoch")
        began = [one for one in case.principal.all(StepBegan) if one.call == call.call and one.unit == "train"]
        if call.kind != "fit" or call.call not in ended or type(each) is not int or not began:
            continue
        if not _warned_between(case, began_s, ended[call.call]):
            continue
        ran, done = _ran(began, each), began[-1].count - began[0].count + 1
        batches = _batches(call)
        if batches is not None and ran + 1 == batches:
            # Keras knew how many there are, and did not begin a step without a batch.
            return _finding(case, call, said, each=each, epochs=epochs, ran=batches, done=done)
        if 0 < ran < each * epochs:
            return _finding(case, call, said, each=each, epochs=epochs, ran=ran)
    return None


def _batches(call: CallBegan) -> int | None:
    """How many batches a pipeline makes, where its stages say so."""
    source = call.arguments.get("x")
    found = source.get("batches") if isinstance(source, dict) else None
    return found if type(found) is int else None


def _warned_between(case: Case, began_s: float, ended_s: float) -> bool:
    """Whether the warning came during a call: `predict` of a generator that ends warns too, and rightly does nothing
    else. What Keras only logged has no time."""
    pattern = data_pipelines.RAN_OUT.pattern
    times = [at_s for at_s, one in case.records.timed(WarningIssued) if pattern.search(one.message)]
    return not times or any(began_s <= at_s <= ended_s for at_s in times)


def _ran(began: list[StepBegan], each: int) -> int:
    """The steps up to the first end of the data: the last one of that epoch began, and then there was no batch for it.
    Keras goes on with the epochs that are left, in each of which a step or two begin."""
    for epoch in dict.fromkeys(step.epoch for step in began):
        steps = [step for step in began if step.epoch == epoch]
        if len(steps) < each:
            return steps[-1].count - began[0].count
    return began[-1].count - began[0].count


def _finding(
    case: Case, call: CallBegan, said: Evidence, *, each: int, epochs: int, ran: int, done: int | None = None
) -> Finding:
    """`ran` are the steps up to the end of the data, `done` those of all epochs where Keras goes on from their start
    in each."""
    mine = [frame for frame in call.frames if frame.user]
    place = keyword_place(case.sources, "steps_per_epoch", each) or (case.locate(mine[-1]) if mine else None)
    if ran >= each and (loop := _generators_loop(case, call)) is not None:
        place = loop
    asked = f"{each:,} steps" if epochs == 1 else f"{epochs:,} epochs of {each:,} steps"
    source = call.arguments.get("x")
    kind = source.get("type", "") if isinstance(source, dict) else ""
    ended = f"but its data ended after {words.count(ran, 'step')}"
    if done is not None and done > ran:
        ended = f"but its data have {words.count(ran, 'batch', 'batches')}, after which each epoch ended"
    return Finding(
        message=f"{prefix(place)}`fit` was asked for {asked}, {ended}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="argument", name="steps_per_epoch", value=str(each)),
        evidence=[
            Evidence(
                fact="steps asked for and done", value=f"{each * epochs:,} and {done or ran:,}", source="StepBegan"
            ),
            said,
        ],
        advice=_advice(
            ran, each, epochs, "generator" in kind, _written(case, call, each, ran), _begins_anew(str(kind))
        ),
        changes=_changes(case, call, ran=ran, each=each, epochs=epochs, from_generator="generator" in kind),
    )


def _generators_loop(case: Case, call: CallBegan) -> Location | None:
    """The loop of the generator that `fit` was given: it ends, and nothing begins it anew."""
    source = call.arguments.get("x")
    kind = source.get("type", "") if isinstance(source, dict) else ""
    found = only_generator(case.sources, None) if "generator" in kind else None
    if found is None:
        return None
    loops = [one for one in around(case.sources[found.file].tree, found.line, ast.stmt) if isinstance(one, ast.For)]
    return located(case.sources, found.file, loops[0].lineno) if loops else None


def _changes(case: Case, call: CallBegan, *, ran: int, each: int, epochs: int, from_generator: bool) -> list[Change]:
    """As many steps as there are batches, and the data begun anew; of several epochs both at once."""
    frame = next((one for one in reversed(call.frames) if one.user), None)
    fit = only_call(case.sources, frame.file, frame.line, "fit") if frame is not None else None
    if frame is None or fit is None:
        return []
    source = case.sources[frame.file]
    text = _expression(source, fit, each, ran)
    fewer = _steps(source, frame.file, fit, text) if ran < each else None
    again = _generator_anew(case) if from_generator else _set_anew(source, frame.file, call, fit)
    anew = Change(title="Begin the data anew at their end", kind="data", edits=again)
    if fewer is None:
        return [anew] if again else []
    one_pass = Change(title=f"Ask for `steps_per_epoch={text}`", kind="argument", edits=[fewer])
    if epochs == 1:
        return [one_pass, *([anew] if again else [])]
    both = Change(title=f"Ask for `steps_per_epoch={text}`, and begin anew", kind="data", edits=[fewer, *again])
    return [both] if again else []


def _expression(source: Source, fit: ast.Call, each: int, ran: int) -> str:
    """The number of batches; where the program asked for as many steps as it has rows, these by its batch size."""
    given = passed_argument(fit, "steps_per_epoch")
    known = constants(source.tree)
    sizes = [
        size
        for call in walk(source.tree, ast.Call)
        if callee(call) == "batch" and isinstance(size := passed_argument(call, "0"), ast.Name)
    ]
    for size in sizes:
        rows = evaluate(size, known)
        if isinstance(given, ast.Name) and rows and size.id in module_names(source) and each // rows == ran:
            return f"{given.id} // {size.id}"
    return str(ran)


def _steps(source: Source, file: str, fit: ast.Call, text: str) -> Edit | None:
    given = passed_argument(fit, "steps_per_epoch")
    if given is not None and not text.isdigit():
        return over(source, file, given, text)
    return set_argument(source, file, fit, "steps_per_epoch", None, text)


def _set_anew(source: Source, file: str, call: CallBegan, fit: ast.Call) -> list[Edit]:
    """`repeat` of the data set that `fit` gets."""
    data, given = call.arguments.get("x"), fit.args[0] if fit.args else passed_argument(fit, "x")
    kind = str(data.get("type", "")) if isinstance(data, dict) else ""
    return [repeated(source, file, given)] if given is not None and kind.startswith("tensorflow.") else []


def _generator_anew(case: Case) -> list[Edit]:
    found = only_generator(case.sources, None)
    source = case.sources[found.file] if found is not None else None
    function = function_at(source.tree, found.line) if source is not None and found is not None else None
    return begun_anew(source, found.file, function) if source and found and function is not None else []


def _written(case: Case, call: CallBegan, each: int, ran: int) -> str:
    """The number of steps as the change writes it."""
    frame = next((one for one in reversed(call.frames) if one.user), None)
    fit = only_call(case.sources, frame.file, frame.line, "fit") if frame is not None else None
    return _expression(case.sources[frame.file], fit, each, ran) if frame is not None and fit is not None else str(ran)


def _begins_anew(kind: str) -> bool:
    """Whether the data are neither a data set, which has `repeat`, nor a generator, which ends: a `Sequence`."""
    return bool(kind) and not kind.startswith("tensorflow.") and "generator" not in kind and "iterator" not in kind


def _advice(ran: int, each: int, epochs: int, from_generator: bool, steps: str, begins_anew: bool = False) -> list[str]:
    """`begins_anew` says that the data begin again by themselves in each epoch."""
    again = (
        "begin the generator anew: `while True:` around its loop" if from_generator else "add `.repeat()` to the data"
    )
    if begins_anew and ran < each:
        return [
            f"The data have {words.count(ran, 'batch', 'batches')}: use `steps_per_epoch={steps}`, or leave it out."
        ]
    if epochs > 1 and ran >= each:
        return [f"The data are used up in epoch {ran // each + 1}: {again}."]
    if epochs == 1:
        return [f"The data have {words.count(ran, 'batch', 'batches')}: use `steps_per_epoch={steps}`, or {again}."]
    return [
        f"The data have {words.count(ran, 'batch', 'batches')}: use `steps_per_epoch={steps}` for one pass per epoch, "
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
