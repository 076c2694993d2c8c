"""A model was made of outputs that do not come from its inputs.

## What it detects
`Model(inputs, outputs)` whose outputs are computed from other inputs than those that were given: from the own input of
an inner model, or from an input that was left out.

## Why it happens
A model that is used as a layer keeps its own input. What `get_layer(…).output` gives belongs to that one, and not to
the model around it.

## Evidence
The outputs, followed back through the layers that made them to the inputs that they begin at.

## How it is proved
The inputs that are named are all that the outputs come from: certain that the given ones are not.

## Fix
The inputs that the outputs come from.

## Known problems
Where the program has no variable for such an input, its name is told and nothing is advised.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix, root_of
from whydied.diagnose.errors.usage import root_link, said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import OutputsTraced
from whydied.source.edits.edit import Change, Edit, over
from whydied.source.trees import holds, walk, written

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    link = root_link(case)
    if link is None or case.principal is None or case.uncaught is None:
        return None
    root = root_of(case.uncaught.chain)
    found = [one for one in case.principal.all(OutputsTraced) if one.link == root]
    if not found or found[-1].frame is None:
        return None
    seen, frame = found[-1], found[-1].frame
    assert frame is not None
    place = case.locate(frame)
    shown = ", ".join(f"`{one}`" for one in seen.roots)
    words = f"the outputs of this model come from {shown}, which `{seen.given}` does not have"
    right = seen.names[0] if len(seen.names) == 1 else f"[{', '.join(seen.names)}]" if seen.names else ""
    advice = [f"Write `inputs={right}`."] if right else []
    edit = _inputs(case, seen, right) if right else None
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="argument", name=seen.given),
        evidence=[
            said(link),
            Evidence(fact="the outputs begin at", value=", ".join(seen.roots), source="OutputsTraced"),
        ],
        advice=advice,
        changes=[Change(title=f"Pass `{right}` as inputs", kind="argument", edits=[edit])] if edit else [],
    )


def _inputs(case: Case, seen: OutputsTraced, right: str) -> Edit | None:
    frame = seen.frame
    assert frame is not None
    source = case.sources.get(frame.file)
    if source is None:
        return None
    calls = [one for one in walk(source.tree, ast.Call) if holds(one, frame.line) and written(one)[:300] == seen.call]
    if len(calls) != 1:
        return None
    word = next((one.value for one in calls[0].keywords if one.arg == "inputs"), None)
    node = word if word is not None else calls[0].args[0] if calls[0].args else None
    return over(source, frame.file, node, right) if node is not None else None
