"""An op was to be added to a graph that is finalised.

## What it detects
An op, a variable or a Python expression on tensors that is made after `graph.finalize()`.

## Why it happens
`finalize` was called on purpose, or by something that does so by itself: `MonitoredTrainingSession`, `Supervisor`, an
estimator. An expression in the training loop (`loss * 2`, `tf.argmax(…)`, `saver = tf.train.Saver()`) adds ops in each
pass, and that is what finalising is there to find.

## Evidence
The exception with its line.

## How it is proved
The exception is direct evidence: certain.

## Fix
Make the op once, before the graph is finalised, and only run it in the loop.

## References
TensorFlow documentation: tf.Graph.finalize.
"""

from __future__ import annotations

import ast
import re

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.errors.quotation import quoted
from whydied.diagnose.finding import Culprit, Evidence, Finding, Location
from whydied.diagnose.memory.bounding_changes import change_of
from whydied.source.assignments import target
from whydied.source.calls import callee
from whydied.source.edits.edit import Change
from whydied.source.edits.programs.session_edits import create_before
from whydied.source.edits.statement_edits import left_out, statement_at
from whydied.texts import session_errors

_FINAL = session_errors.FINALISED.pattern
_FINALISERS = re.compile(
    r"\.finalize\(\)|MonitoredTrainingSession\(|MonitoredSession\(|SingularMonitoredSession\(|Supervisor\("
)

ROLE = "explanation"
YIELDS_TO = ("feed-mismatch",)


def check(case: Case) -> Finding | None:
    said = quoted(case, _FINAL)
    if said is None:
        return None
    finaliser = _finaliser(case)
    by = f", which {line_words(finaliser)} finalised" if finaliser is not None else ", which is finalised"
    name = target(case.sources, said.place) if said.place else None
    what = f"`{name}` adds" if name else "this line adds"
    evidence = evidence_of(said.link, said.raised)
    if finaliser is not None:
        place = f"{finaliser.file}:{finaliser.line}"
        evidence.append(Evidence(fact="finalised at", value=place, source="the source"))
    return Finding(
        message=f"{prefix(said.place)}{what} an op to the graph{by}; expected no new op after that",
        certainty="certain",
        location=said.place,
        culprit=Culprit(kind="op", name=name),
        evidence=evidence,
        advice=[
            "Create this op once, before the graph is finalised, and only run it here; feed what changes by a "
            "placeholder.",
            "Without `finalize` it runs too, but the graph grows with each pass.",
        ],
        changes=_changes(case, said.place, finaliser),
    )


def _changes(case: Case, place: Location | None, finaliser: Location | None) -> list[Change]:
    if place is None or finaliser is None:
        return []
    source = case.sources[finaliser.file]
    before = create_before(source, place.file, place.line, finaliser.line) if place.file == finaliser.file else []
    node = statement_at(source, finaliser.line)
    alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and callee(node.value) == "finalize"
    open_ = left_out(source, finaliser.file, node) if alone and node is not None else None
    return [
        *change_of("Create the op before the graph is finalised", "statement", before, "exact"),
        *change_of("Leave the graph open: each pass adds this op to it", "statement", open_, "exact"),
    ]


def _finaliser(case: Case) -> Location | None:
    """The only line of the program that finalises a graph."""
    found = []
    for file, source in case.recording.sources.items():
        found += [
            Location(file=file, line=number)
            for number, text in enumerate(source.lines, 1)
            if _FINALISERS.search(text.partition("#")[0])
        ]
    return found[0] if len(found) == 1 else None
