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

## Known problems
None.

## References
TensorFlow documentation: tf.compat.v1.Session.run.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import Quotation, quoted
from whydied.diagnose.finding import Culprit, Finding, Location
from whydied.records import Operand
from whydied.source.calls import argument
from whydied.source.trees import enclosing, nodes_at, written

_NO_TENSOR = re.compile(
    r"(?:Argument `fetch` = |Fetch argument )(?P<value>.*?) has invalid type \"?(?P<type>[^\s,\"]+)", re.DOTALL
)
_FOREIGN = re.compile(
    r"(?:Argument `fetch` = |Fetch argument )(?P<value>.*?) cannot be interpreted as a Tensor\. "
    r"\((?:Tensor|Operation) .*is not an element of this graph",
    re.DOTALL,
)
_NAME = re.compile(r"The name '(?P<name>[^']+)' (?:refers to (?:a Tensor|an Operation)|looks like)")
_CLOSED = re.compile(r"Attempted to use a closed Session")

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
    fetched = _fetches(case, said.place)
    by_type = [one for one in said.link.operands if _is_of(one, kind) and one.text in fetched]
    name = by_type[0].text if by_type else None
    overwritten = _overwritten(case, said.place, name)
    what = f"`{name}`" if name else "a fetch"
    because = ""
    if overwritten is not None:
        because = f", because line {overwritten.line} gives that name to a result of `run`"
    place = overwritten or said.place
    return Finding(
        message=f"{prefix(place)}{what} is {_described(kind, value)}{because}; expected a tensor, an op or its name",
        certainty="certain",
        location=place,
        culprit=Culprit(kind="fetch", name=name, value=None if kind == "NoneType" else value),
        evidence=evidence_of(said.link, said.raised),
        advice=[
            f"Give the result another name: `{name}_value = …run(…)`."
            if overwritten is not None
            else "Leave it out of the fetches: it is no part of the graph."
        ],
    )


def _described(kind: str, value: str) -> str:
    return "None" if kind == "NoneType" else f"no tensor but {value} ({kind})"


def _is_of(operand: Operand, kind: str) -> bool:
    return operand.type.rpartition(".")[2] == kind


def _fetches(case: Case, place: Location | None) -> set[str]:
    """The names in the first argument of `run`."""
    found: set[str] = set()
    for node in nodes_at(case.sources, place) if place else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "run":
            given = node.args[:1] or [word.value for word in node.keywords if word.arg == "fetches"]
            found |= {written(part) for one in given for part in ast.walk(one) if isinstance(part, ast.expr)}
    return found


def _overwritten(case: Case, place: Location | None, name: str | None) -> Location | None:
    """The statement that assigns the result of a `run` to the name that is fetched."""
    source = case.recording.sources.get(place.file) if place else None
    if name is None or source is None or place is None:
        return None
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            targets = [written(part) for target in node.targets for part in ast.walk(target)]
            function = node.value.func
            if name in targets and isinstance(function, ast.Attribute) and function.attr in ("run", "eval"):
                statement = source.statement(node.lineno)
                return Location(
                    file=place.file,
                    line=node.lineno,
                    end_line=node.end_lineno,
                    function=enclosing(source.tree, node.lineno),
                    source=statement.source if statement else None,
                )
    return None


def _foreign(case: Case, said: Quotation) -> Finding:
    value = re.search(r"Tensor\(\"(?P<name>[^\"]+)\"", said.match["value"])
    name = argument(case.sources, said.place, "run", "0") if said.place else None
    what = f"`{name}`" if name else f"tensor {value['name']}" if value else "what is fetched"
    return Finding(
        message=f"{prefix(said.place)}{what} belongs to another graph than the session's; expected one of the graph "
        "that the session was made with",
        certainty="certain",
        location=said.place,
        culprit=Culprit(kind="fetch", name=name or (value["name"] if value else None)),
        evidence=evidence_of(said.link, said.raised),
        advice=["Make the session with that graph (`tf.compat.v1.Session(graph=…)`), or the tensor in the session's."],
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
