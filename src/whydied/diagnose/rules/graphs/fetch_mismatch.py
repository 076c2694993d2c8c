"""What a session was asked for is not in its graph.

## What it detects
A fetch that is None, a number or an array; a tensor of another graph; a name that no op of the graph has; a session
that is closed.

## Why it happens
The result of `session.run` was given the name of the tensor (`loss = session.run(loss)`), so the next pass fetches a
number. An op was made in another graph than the session's. A name is misspelt or lacks its output (`:0`).

## Evidence
The exception; the parts of the line with their types; the assignments of that name in the source.

## How it is proved
The exception is direct evidence: certain.

## Fix
Another name for the result; one graph for ops and session; the name that exists.

## References
TensorFlow documentation: tf.compat.v1.Session.run.
"""

from __future__ import annotations

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import Quotation, quoted
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import Operand
from whydied.source.calls import argument
from whydied.source.training.session_calls import fetched, overwritten
from whydied.texts import session_errors

_NO_TENSOR = session_errors.FETCH_NO_TENSOR.pattern
_FOREIGN = session_errors.FETCH_OF_OTHER_GRAPH.pattern
_NAME = session_errors.FETCH_NAME.pattern
_CLOSED = session_errors.CLOSED.pattern

ROLE = "explanation"
YIELDS_TO = ("symbolic-as-value",)


def check(case: Case) -> Finding | None:
    for pattern, answer in ((_FOREIGN, _foreign), (_NO_TENSOR, _no_tensor), (_NAME, _name), (_CLOSED, _closed)):
        said = quoted(case, pattern)
        if said is not None and "EagerTensor" not in said.match[0] and "feed_dict" not in said.link.message:
            return answer(case, said)
    return None


def _no_tensor(case: Case, said: Quotation) -> Finding:
    kind = said.match["type"].rpartition(".")[2].strip("'<>")
    value = " ".join(said.match["value"].split())[:60]
    there = fetched(case.sources, said.place) if said.place is not None else set()
    by_type = [one for one in said.link.operands if _is_of(one, kind) and one.text in there]
    name = by_type[0].text if by_type else None
    renamed = overwritten(case.sources, said.place.file, name) if said.place is not None and name else None
    what = f"`{name}`" if name else "a fetch"
    because = ""
    if renamed is not None:
        because = f", because line {renamed.line} assigns a result of `run` to that name"
    place = renamed or said.place
    return Finding(
        message=f"{prefix(place)}{what} is {_described(kind, value)}{because}; expected a tensor, an op or its name",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="fetch", name=name, value=None if kind == "NoneType" else value),
        evidence=evidence_of(said.link, said.raised),
        advice=[
            f"Use another name for the result: `{name}_value = …run(…)`."
            if renamed is not None
            else "Remove it from the fetches: it is not part of the graph."
        ],
    )


def _described(kind: str, value: str) -> str:
    return "None" if kind == "NoneType" else f"not a tensor but {value} ({kind})"


def _is_of(operand: Operand, kind: str) -> bool:
    return operand.type.rpartition(".")[2] == kind


def _foreign(case: Case, said: Quotation) -> Finding:
    value = session_errors.TENSOR_SHOWN.pattern.search(said.match["value"])
    name = argument(case.sources, said.place, "run", "0") if said.place else None
    what = f"`{name}`" if name else f"tensor {value['name']}" if value else "what is fetched"
    return Finding(
        message=f"{prefix(said.place)}{what} belongs to a different graph than the session; expected one in the "
        "session's graph",
        certainty="certain",
        location=said.place,
        culprit=Culprit(kind="fetch", name=name or (value["name"] if value else None)),
        evidence=evidence_of(said.link, said.raised),
        advice=[
            "Create the session with that graph (`tf.compat.v1.Session(graph=…)`), or the tensor in the "
            "session's graph."
        ],
    )


def _name(case: Case, said: Quotation) -> Finding:
    name = said.match["name"]
    return Finding(
        message=f"{prefix(said.place)}'{name}' is not in the graph; expected the name of an op, or of an op with its "
        "output (`loss:0`)",
        certainty="certain",
        location=said.place,
        culprit=Culprit(kind="fetch", name=name, near=list(said.link.near)),
        evidence=evidence_of(said.link, said.raised),
        advice=["List the names that exist with `[op.name for op in graph.get_operations()]`."],
    )


def _closed(case: Case, said: Quotation) -> Finding:
    return Finding(
        message=f"{prefix(said.place)}the session was closed before this line; expected an open one",
        certainty="certain",
        location=said.place,
        culprit=Culprit(kind="session"),
        evidence=evidence_of(said.link, said.raised),
        advice=["Move this line into the `with` block of the session, or close the session after it."],
    )
