"""Eager tensors and a v1 session were mixed.

## What it detects
`Session.run` of a tensor that was computed eagerly, a session on an empty graph, and v1 functions (`placeholder`,
`gradients`, `minimize` of a tensor) that do not work while TensorFlow runs eagerly.

## Why it happens
Since TensorFlow 2 an op runs at once and gives its value: no graph is built, so a session has nothing to run. Code for
TensorFlow 1 was moved to `tf.compat.v1` without switching eager execution off.

## Evidence
The exception with its line; of the parts of that line, those that are eager tensors.

## How it is proved
The exception is direct evidence: certain.

## Fix
Leave the session out and take the value from the tensor (`.numpy()`); or build a graph: call
`tf.compat.v1.disable_eager_execution()` right after the import, or work inside of `with tf.Graph().as_default():`.

## Known problems
A graph that is empty for another reason (ops made in another graph) gives the same words.

## References
TensorFlow documentation: guide/migrate.
"""

from __future__ import annotations

import re

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import Quotation, quoted
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.calls import argument
from whydied.source.edits.call_edits import only_call
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.edits.programs.session_edits import without_eager
from whydied.source.trees import dotted_name
from whydied.texts import session_errors
from whydied.texts.entry import any_of

_EMPTY = session_errors.EMPTY_GRAPH.pattern
_EAGER = session_errors.EAGER_HAS_NO_GRAPH.pattern
_WITHOUT_GRAPH = any_of(session_errors.NOT_WITH_EAGER, session_errors.LOSS_NOT_A_FUNCTION)
_ADVICE = (
    "Eager tensors need no session: drop it and read the value with `.numpy()`. For v1 code call "
    "`tf.compat.v1.disable_eager_execution()` right after the import."
)

ROLE = "explanation"
YIELDS_TO = ("finalised-graph", "other-graph")


def check(case: Case) -> Finding | None:
    said = quoted(case, _EMPTY, _EAGER)
    if said is not None and (said.match.re is _EMPTY or _is_run(said)):
        return _run(case, said)
    said = quoted(case, _WITHOUT_GRAPH)
    return _function(case, said) if said is not None else None


def _is_run(said: Quotation) -> bool:
    """Whether the line runs a session."""
    text = said.place.source if said.place and said.place.source else ""
    return re.search(r"\.(?:run|eval|partial_run|make_callable)\(", text) is not None


def _run(case: Case, said: Quotation) -> Finding:
    eager = [one for one in said.link.operands if one.type.endswith("EagerTensor")]
    name = eager[0].text if eager else _fetch(case, said)
    form = f" of shape {eager[0].shape}" if eager else ""
    empty = said.match.re is _EMPTY
    state = "already has a value" if eager else "is not part of the session's graph"
    graph = ", and the session's graph is empty" if empty else ""
    what = f"`{name}`" if name else "what is fetched"
    kind = f" is an eager tensor{form}: it {state}" if eager else f" {state}"
    return Finding(
        message=f"{prefix(said.place)}{what}{kind}{graph}; expected a tensor in the graph that the session runs",
        certainty="certain",
        location=said.place,
        culprit=Culprit(
            kind="tensor",
            name=name,
            shape=eager[0].shape if eager else None,
            dtype=eager[0].dtype if eager else None,
        ),
        evidence=evidence_of(said.link, said.raised),
        advice=[_ADVICE],
        changes=[*_without_eager(case, said), *(_value(case, said) if eager else [])],
    )


def _without_eager(case: Case, said: Quotation) -> list[Change]:
    source = case.sources.get(said.place.file) if said.place is not None else None
    edit = without_eager(source, said.place.file) if source is not None and said.place is not None else None
    return [Change(title="Switch eager execution off", kind="statement", edits=[edit])] if edit is not None else []


def _value(case: Case, said: Quotation) -> list[Change]:
    """`session.run(x)` as `x.numpy()`, where nothing is fed."""
    call = only_call(case.sources, said.place.file, said.place.line, "run") if said.place is not None else None
    if call is None or said.place is None or len(call.args) != 1 or call.keywords or not dotted_name(call.args[0]):
        return []
    source = case.sources[said.place.file]
    new = f"{written_in(source, call.args[0])}.numpy()"
    edit = over(source, said.place.file, call, new)
    return [Change(title=f"Write `{new}`", kind="expression", edits=[edit])]


def _fetch(case: Case, said: Quotation) -> str | None:
    return argument(case.sources, said.place, "run", "0") if said.place else None


def _function(case: Case, said: Quotation) -> Finding:
    what = said.match["what"] or "minimize"
    return Finding(
        message=f"{prefix(said.place)}`{what}` builds a graph, but TensorFlow runs eagerly here; expected eager "
        "execution to be off, or TensorFlow 2 code",
        certainty="certain",
        location=said.place,
        culprit=Culprit(kind="function", name=what),
        evidence=evidence_of(said.link, said.raised),
        advice=[_ADVICE],
        changes=_without_eager(case, said),
    )
