"""A callback sets the learning rate of an optimizer that has a schedule in its place.

## What it detects
`ReduceLROnPlateau`, `LearningRateScheduler` or the program itself assigns a learning rate to an optimizer that was made
with a `LearningRateSchedule`.

## Why it happens
A schedule computes the rate of each step; there is no variable that could be set. Both ways to lower the rate do not go
together.

## Evidence
The exception, and the line that made the optimizer.

## How it is proved
Keras states the reason, and the recorder saw the optimizer being made: certain.

## Fix
Keep one of the two: a number as the learning rate, or the schedule without the callback.

## Known problems
None known.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.usage import place_of, root_link, said, text_of
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import Frame, OptimizerSeen
from whydied.source.assignments import last_assignment
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, Edit, over, written_in
from whydied.source.trees import across, nodes_on, scope_at
from whydied.texts import weights

ROLE = "explanation"
_SETTERS = ("ReduceLROnPlateau", "LearningRateScheduler")
_NOT_SETTABLE = weights.RATE_NOT_SETTABLE.pattern


def check(case: Case) -> Finding | None:
    link, failing = root_link(case), place_of(case)
    if link is None or not _NOT_SETTABLE.search(text_of(link)):
        return None
    seen = [one.made for one in case.records.all(OptimizerSeen) if one.made is not None]
    place = case.locate(seen[-1]) if seen else failing
    setters = [(file, call) for file, call in across(case.project, ast.Call) if callee(call) in _SETTERS]
    who = "the program"
    evidence = [said(link)]
    if len(setters) == 1:
        file, call = setters[0]
        frame = Frame(file=file, line=call.lineno, function="", user=True)
        who = f"`{callee(call)}` of {line_words(frame)}"
        evidence.append(Evidence(fact="the rate is set by", value=line_words(frame), source="the source"))
    edits, rate = _edits(case, place)
    return Finding(
        message=f"{prefix(place)}the optimizer has a schedule as its learning rate, and {who} sets it; a schedule "
        "cannot be set",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="argument", name="learning_rate"),
        evidence=evidence,
        advice=[
            f"Keep one of the two: {f'`learning_rate={rate}` here' if rate else 'a number here'}, or the schedule "
            f"without {who.partition(' of ')[0]}."
        ],
        changes=[Change(title="Pass a number as the learning rate", kind="argument", edits=edits)] if edits else [],
    )


def _edits(case: Case, place: Location | None) -> tuple[list[Edit], str]:
    """The schedule's first rate in its place, in each call of the function that makes an optimizer with it."""
    source = case.project.get(place.file) if place is not None else None
    if source is None or place is None:
        return [], ""
    scope = scope_at(source.tree, place.line)
    given = [
        word.value
        for node in nodes_on(source, place.line)
        if isinstance(node, ast.Call)
        for word in [*node.keywords, *(ast.keyword("learning_rate", one) for one in node.args[:1])]
        if word.arg in ("learning_rate", "lr")
    ]
    for one in given:
        made = last_assignment(one.id, scope, place.line) if isinstance(one, ast.Name) else None
        value = getattr(made, "value", None) if made is not None else one
        if isinstance(value, ast.Call) and (first := _initial(value)) is not None:
            rate = written_in(source, first)
            return [over(source, place.file, one, rate)], rate
    return [], ""


def _initial(schedule: ast.Call) -> ast.expr | None:
    named = [word.value for word in schedule.keywords if word.arg == "initial_learning_rate"]
    return next(iter([*named, *schedule.args]), None)
