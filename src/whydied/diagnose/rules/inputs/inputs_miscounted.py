"""A model was given another number of inputs than it has.

## What it detects
A model with several inputs that gets one array, or a list of another length: from `fit`, `predict` or a generator.

## Why it happens
The arrays of the inputs are stacked into one (`np.array([left, right])`), which has the inputs as its first axis and
counts as a single input.

## Evidence
Keras' own count of what it expects and what it received, and the line that made what the model was given.

## How it is proved
Keras counts: certain that the numbers differ. Where the line is found that stacks as many arrays as the model has
inputs, it is the cause; else the call is told.

## Fix
A list or tuple with one array for each input.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.framework_error import FrameworkError, framework_error
from whydied.diagnose.errors.quotation import quoted
from whydied.diagnose.finding import Culprit, Finding, Location
from whydied.records import Frame
from whydied.source.assignments import assigned
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.text import Source
from whydied.source.trees import nodes_on, scope_at, written
from whydied.texts import layers

ROLE = "explanation"
_STACKS = ("array", "stack", "asarray", "concatenate", "vstack")


def check(case: Case) -> Finding | None:
    said = quoted(case, layers.INPUTS_COUNTED.pattern)
    error = framework_error(case)
    if said is None or error is None:
        return None
    expected, received = int(said.match["expected"]), int(said.match["received"])
    stacked = _stacked(error, expected) if received == 1 else None
    place: Location | None = said.place
    changes: list[Change] = []
    advice = f"Give a list with one array for each of the {expected} inputs."
    name = next((one.text for one in error.of_role("x") if one.text), "the data")
    words = f"the model has {expected} inputs and gets {received}"
    if stacked is not None:
        source, frame, call, parts = stacked
        place = case.locate(frame)
        each = ", ".join(_as_array(source, one, call) for one in parts)
        words = f"`{written(call)}` makes one array of what are {expected} inputs, so the model gets 1 of {expected}"
        advice = f"Write `[{each}]`: a list with one array for each input."
        edit = over(source, frame.file, call, f"[{each}]")
        changes = [Change(title=f"Write `[{each}]`", kind="expression", edits=[edit])]
        name = written(call)
    return Finding(
        message=f"{prefix(place)}{words}; expected one array for each",
        certainty="certain" if stacked is not None else "likely",
        location=place,
        culprit=Culprit(kind="data", name=name),
        evidence=evidence_of(said.link, said.raised),
        advice=[advice],
        changes=changes,
    )


def _as_array(source: Source, node: ast.expr, call: ast.Call) -> str:
    """An element of what was stacked; a name may be a list, so that it is made an array by itself."""
    return f"{written(call.func).rpartition('.')[0] or 'np'}.array({written_in(source, node)})"


def _stacked(error: FrameworkError, inputs: int) -> tuple[Source, Frame, ast.Call, list[ast.expr]] | None:
    """The call that makes one array of as many as there are inputs, among what the model is given."""
    for party in error.of_role("x"):
        frames = [one.frame for one in reversed(party.sources) if one.frame is not None]
        for frame in [*frames, *([error.facts.place] if error.facts.place is not None else [])]:
            source = error.sources.get(frame.file)
            nodes = nodes_on(source, frame.line) if source is not None else []
            given = [one.value for one in nodes if isinstance(one, ast.Yield) and one.value is not None]
            given = [one.elts[0] if isinstance(one, ast.Tuple) and one.elts else one for one in given]
            given += [one for one in nodes if isinstance(one, ast.Call)]
            for node in given if source is not None else ():
                found = _call(source, frame, node, inputs) if source is not None else None
                if found is not None and source is not None:
                    line, call, parts = found
                    return source, Frame(file=frame.file, line=line, function=frame.function, user=True), call, parts
    return None


def _call(source: Source, frame: Frame, node: ast.expr, inputs: int) -> tuple[int, ast.Call, list[ast.expr]] | None:
    if isinstance(node, ast.Name):
        made = [one for one in assigned(node.id, scope_at(source.tree, frame.line)) if one.line <= frame.line]
        if not made or not isinstance(made[-1].value, ast.expr):
            return None
        node = made[-1].value
    if not isinstance(node, ast.Call) or callee(node) not in _STACKS or not node.args:
        return None
    parts = node.args[0].elts if isinstance(node.args[0], ast.List | ast.Tuple) else []
    return (node.lineno, node, list(parts)) if len(parts) == inputs else None
