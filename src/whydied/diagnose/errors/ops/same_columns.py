"""Two tables whose columns depend on the values that occur in them (`get_dummies`): the second with the columns of the
first, where both are still tables. Pure.

The data of the training and those of now are followed back to functions that know both; which of these places has
tables and not arrays, a trial tells.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from whydied.diagnose.case import Case
from whydied.records import CallBegan, Frame, Party
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Change, line_after
from whydied.source.edits.statement_edits import statement_at
from whydied.source.origins.trails import Call, Step, Trails, expression
from whydied.source.text import Source
from whydied.source.trees import nodes_on, scope_at

_MOST = 3


def same_columns(case: Case, party: Party, place: Frame | None) -> list[Change]:
    """The changes, those nearest to where the tables are made first."""
    sources, trained = case.sources, _trained(case)
    now = expression(sources, place.file, place.line, party.text) if place is not None and party.text else None
    if place is None or now is None or trained is None:
        return []
    raised = case.uncaught
    frames = [one for one in raised.chain[0].frames if one.user] if raised is not None else []
    trails = Trails(sources, [Call(one.file, one.line, one.function) for one in frames])
    at, given = trained
    first = trails.trail(at.file, at.line, given)
    second = trails.trail(place.file, place.line, now)
    found: dict[tuple[str, str], Change] = {}
    for one in reversed(second):
        for other in reversed(first):
            if _are_beside(sources, one, other) and (one.name, other.name) not in found:
                found[one.name, other.name] = _reindexed(sources, one, other)
    return list(found.values())[:_MOST]


def _trained(case: Case) -> tuple[Frame, ast.expr] | None:
    """What the last `fit` that ended was given, and its line."""
    calls = case.principal.all(CallBegan) if case.principal is not None else []
    fit = next((one for one in reversed(calls) if one.kind == "fit"), None)
    at = next((frame for frame in reversed(fit.frames) if frame.user), None) if fit is not None else None
    source = case.sources.get(at.file) if at is not None else None
    if at is None or source is None:
        return None
    made = [one for one in nodes_on(source, at.line) if isinstance(one, ast.Call) and callee(one) == "fit"]
    given = (passed_argument(made[0], "x") or passed_argument(made[0], "0")) if len(made) == 1 else None
    return (at, given) if given is not None else None


def _are_beside(sources: Mapping[str, Source], one: Step, other: Step) -> bool:
    """Whether two names are given values in the same function."""
    if one.file != other.file or one.name == other.name or one.is_passed or other.is_passed:
        return False
    source = sources[one.file]
    if not all(isinstance(statement_at(source, step.line), ast.Assign) for step in (one, other)):
        return False
    named = one.name.isidentifier() and other.name.isidentifier()
    is_made = not isinstance(one.value, ast.Name) and not isinstance(other.value, ast.Name)
    return named and is_made and scope_at(source.tree, one.line) is scope_at(source.tree, other.line)


def _reindexed(sources: Mapping[str, Source], one: Step, other: Step) -> Change:
    text = f"{one.name} = {one.name}.reindex(columns={other.name}.columns, fill_value=0)"
    edit = line_after(sources[one.file], one.file, max(one.line, other.line), text)
    return Change(title=f"Add `{text}`", kind="data", edits=[edit])
