"""One optimizer is used for the variables of a second model.

## What it detects
Keras refuses variables that an optimizer was not built with.

## Why it happens
An optimizer keeps values for each variable that it updates, and makes them when it is first used. From then on it knows
the variables of that model only.

## Evidence
The line that made the optimizer, the variable that it refused, and one that it knows.

## How it is proved
Keras states it: certain. The line is that of the optimizer that refused.

## Fix
A new optimizer for each model.

## Known problems
Where a model got new layers after its optimizer was used, the words are the same; the advice holds for it, too.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.usage import place_of, root_link, said, text_of
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.records import OptimizerSeen
from whydied.source.assignments import target
from whydied.source.edits.edit import Change, over
from whydied.source.edits.statement_edits import statement_at, without_statement
from whydied.source.trees import scope_at, walk
from whydied.texts import weights

ROLE = "explanation"
_UNKNOWN = weights.UNKNOWN_VARIABLE.pattern


def check(case: Case) -> Finding | None:
    link, raised_at = root_link(case), place_of(case)
    told = _UNKNOWN.search(text_of(link)) if link is not None else None
    if link is None or told is None:
        return None
    seen = case.principal.all(OptimizerSeen) if case.principal else []
    made = seen[-1].made if seen else None
    place = case.locate(made) if made is not None else raised_at
    name = target(case.sources, place) if place is not None and made is not None else None
    shown = f"`{name}`" if name else "the optimizer"
    known = seen[-1].variables if seen else []
    words = f"{shown} was first used for other variables"
    if known:
        words += f" (`{known[0]}`)"
    words += f" and does not know `{told['variable']}`"
    if raised_at is not None and place != raised_at:
        words += f", which it gets on {line_words(raised_at)}"
    making = re.sub(r"^[\w.]+\s*=\s*", "", place.source) if place is not None and name and place.source else ""
    making = making.partition("  #")[0]
    advice = f"Create a new optimizer for each model: `{making}` where the model is made or compiled" if making else ""
    evidence = [said(link)]
    if made is not None:
        evidence.append(Evidence(fact="optimizer made on", value=line_words(made), source="OptimizerSeen"))
    return Finding(
        message=f"{prefix(place)}{words}",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="optimizer", name=name),
        evidence=evidence,
        advice=[f"{advice or 'Create a new optimizer for each model'}, not once for all."],
        changes=_changes(case, place, name, making),
    )


def _changes(case: Case, place: Location | None, name: str | None, making: str) -> list[Change]:
    """The expression that makes the optimizer in each call that gets it, instead of the variable. Only where its own
    function does nothing else with it."""
    source = case.sources.get(place.file) if place is not None else None
    made = statement_at(source, place.line) if source is not None and place is not None else None
    if source is None or place is None or not name or not isinstance(made, ast.Assign):
        return []
    scope = scope_at(source.tree, place.line)
    uses = [node for node in walk(scope, ast.Name) if node.id == name and isinstance(node.ctx, ast.Load)]
    given = [one for call in walk(scope, ast.Call) for one in [*call.args, *(word.value for word in call.keywords)]]
    if any(node not in given for node in uses):
        return []
    edits = [over(source, place.file, node, making) for node in uses]
    if not edits:
        return []
    edits.append(without_statement(source, place.file, made))
    return [Change(title=f"Create a new optimizer each time: `{making}`", kind="call", edits=edits)]
