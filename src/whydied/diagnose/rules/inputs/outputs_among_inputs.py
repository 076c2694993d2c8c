"""Inputs and targets are given to a training in one dict, which Keras takes for inputs alone.

## What it detects
`fit` or `evaluate` failing without targets, where a generator yields, a function of the data returns, or the call is
given one dict that has inputs of the model by their names and an output of it beside them.

## Why it happens
The names of the outputs are known to the model, so one dict for all seems enough. Keras tells inputs from targets by
their places in a tuple.

## Evidence
That no targets came with the data; the names of the model's inputs and outputs, and the dict with both.

## How it is proved
The names agree with those of the model: likely. The change is tried in a copy of the process.

## Fix
A tuple of two dicts, the inputs and the targets.

## Known problems
A dict whose keys are computed is not found.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.framework_error import FrameworkError, evidence_of, framework_error
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Change
from whydied.source.edits.one_dict import TRAINING, OneDict, dicts_of_both
from whydied.source.trees import across, around, located, walk

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    error = framework_error(case)
    if error is None or error.facts.call not in TRAINING or error.of_role("y", "label", "target"):
        return None
    inputs, ends, named = _names(error)
    among = dicts_of_both(error.sources, inputs, ends | named)
    if not among or len({one.targets for one in among}) > 1:
        return None
    nearest = max(_nearness(error, one) for one in among)
    found = [one for one in among if _nearness(error, one) == nearest]
    first = found[0]
    # A model with one output that has no name in the program takes its targets by themselves.
    forms = [form for one in found for form in (one.forms if named & {*one.targets} else one.forms[::-1])]
    place = located(case.project, first.file, first.line)
    names = " and ".join(f"`{one}`" for one in first.targets)
    kind = "an output of the model" if len(first.targets) == 1 else "outputs of the model"
    return Finding(
        message=(
            f"{prefix(place)}one dict has the inputs and {names}, {kind}: `{error.facts.call}` takes a dict for inputs "
            "alone, and targets as the second part of a tuple"
        ),
        certainty="likely",
        location=place,
        culprit=Culprit(kind="data", name=first.targets[0]),
        evidence=evidence_of(error),
        advice=[f"Write `{forms[0][0]}`."],
        changes=[Change(title=f"Write `{text}`", kind="data", edits=edits) for text, edits in forms],
    )


def _nearness(error: FrameworkError, one: OneDict) -> int:
    """A generator that is known, and the failing call, before the class of batches that was passed, before others."""
    givers = [made.frame for party in error.of_role("x") for made in party.sources if made.kind == "generator"]
    for frame in [*givers, error.facts.place]:
        if frame is not None and frame.file == one.file and frame.line <= one.line <= (frame.end_line or frame.line):
            return 2
    kinds = {party.type.rpartition(".")[2] for party in error.of_role("x")}
    owners = around(error.sources[one.file].tree, one.line, ast.ClassDef)
    return int(any(owner.name in kinds for owner in owners))


def _names(error: FrameworkError) -> tuple[set[str], set[str], set[str]]:
    """Of the inputs, of the layers at the end, and those that the program writes for outputs in dicts, for the model
    and for its losses."""
    layers = error.facts.layers
    feeding = {name for one in layers for name in one.inputs}
    inputs = {one.name for one in layers if one.type == "InputLayer"}
    ends = {one.name for one in layers if one.type != "InputLayer" and one.name not in feeding}
    named: set[str] = set()
    for _, call in across(error.sources, ast.Call):
        if callee(call) == "Model":
            inputs |= _keys(passed_argument(call, "inputs") or passed_argument(call, "0"))
            named |= _keys(passed_argument(call, "outputs") or passed_argument(call, "1"))
        elif callee(call) == "compile":
            named |= _keys(passed_argument(call, "loss") or passed_argument(call, "1"))
    return inputs, ends - inputs, named - inputs


def _keys(node: ast.expr | None) -> set[str]:
    keys = [key for one in walk(node, ast.Dict) for key in one.keys] if isinstance(node, ast.Dict) else []
    return {one.value for one in keys if isinstance(one, ast.Constant) and isinstance(one.value, str)}
