"""The default graph asked for what another one has: each thread has one of its own. Pure."""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.demands.mixed_graphs import CALLS, kept_with_model
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import Quotation
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.calls import callee, receiver
from whydied.source.edits.edit import Change, over
from whydied.source.trees import function_at, located, walk, within, written

_DEFAULT = "get_default_graph"
_RUNNING = ("run", "partial_run", "make_callable")


def model_elsewhere(case: Case, said: Quotation) -> Finding | None:
    """A session that has not the tensors of the model which it runs: that of the thread, over its own graph."""
    place = said.place
    name = receiver(case.sources, place, CALLS) if place is not None else None
    advice, edits = kept_with_model(case, place, name) if name is not None else ("", [])
    if place is None or name is None or not edits:
        return None
    return Finding(
        message=f"{prefix(place)}the model `{name}` is in another graph than the default one of the thread that runs "
        "this line; expected the graph and the session of the model",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="tensor", name=name),
        evidence=evidence_of(said.link, said.raised),
        advice=[advice],
        changes=[Change(title=advice.removesuffix("."), kind="statement", edits=edits)],
    )


def asked_by_name(case: Case, said: Quotation) -> Finding | None:
    """`get_default_graph()` asked for a name, in a function that has a session with a graph of its own."""
    place = said.place
    source = case.project.get(place.file) if place is not None else None
    function = function_at(source.tree, place.line) if place is not None and source is not None else None
    if place is None or source is None or function is None:
        return None
    calls = [one for one in within(function) if isinstance(one, ast.Call)]
    asked = [one for one in calls if callee(one) == _DEFAULT]
    runs = [one.func.value for one in calls if isinstance(one.func, ast.Attribute) and one.func.attr in _RUNNING]
    sessions = dict.fromkeys(written(one) for one in runs)
    if not asked or len(sessions) != 1 or asked[0].lineno > place.line:
        return None
    session = next(iter(sessions))
    names = [one for one in walk(function, ast.expr) if isinstance(one, ast.Name | ast.Attribute)]
    stored = {written(one) for one in names if isinstance(one.ctx, ast.Store)}
    if session in stored:
        return None
    at = located(case.project, place.file, asked[0].lineno)
    title = f"Write `{session}.graph` instead of `{written(asked[0])}`"
    shown = f", where '{said.match['name']}' is looked up on {line_words(place)}" if at.line != place.line else ""
    return Finding(
        message=f"{prefix(at)}the default graph{shown} is not the one of `{session}`: each thread has a default graph "
        "of its own, which is empty at first",
        certainty="likely",
        location=at,
        culprit=Culprit(kind="session", name=session),
        evidence=evidence_of(said.link, said.raised),
        advice=[f"{title}."],
        changes=[
            Change(title=title, kind="call", edits=[over(source, place.file, one, f"{session}.graph") for one in asked])
        ],
    )
