"""An assertion on a tensor failed, and nobody caught it.

## What it detects
An uncaught error of `whydied.assert_finite`, `assert_shape`, `assert_range`, `limit_bytes` or `limit_dims`, or of a
check that `[tool.whydied.assert]` asks for.

## Why it happens
A tensor was not what the program, or its configuration, says that it must be.

## Evidence
The assertion's own record: what it was given, the first bad elements, their rows and count, where the tensor was made.
An assertion in a graph is recorded when the graph is made, and what it found is read from TensorFlow's error.

## How it is proved
The assertion looked at the values themselves: certain.

## Fix
Go to where the tensor is made, not to the assertion.

## Known problems
The place of a check from the configuration is the line that made the layer. In a graph only the number of bad elements
and the positions and values of the first eight are known. An assertion that the program catches is not reported.

## References
docs/assertions.md
"""

from __future__ import annotations

import re
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Culprit, Evidence, Finding, Rows
from whydied.records import AssertionFailed, AssertionPlaced, Frame, RaisedException
from whydied.texts import graph_messages

_PIECES = re.compile(r"\]\s+\[")
_POSITIONS = re.compile(r"\[((?:-?\d+ ?)+)\]")
_COUNT = re.compile(r"has (\d+) bad values of")


class _Failure(NamedTuple):
    record: AssertionFailed | AssertionPlaced
    message: str
    rows: Rows | None


ROLE = "cause"
YIELDS_TO = ("save-failed",)
ASKED_WHEN_CAUGHT = True


def check(case: Case) -> Finding | None:
    raised = case.uncaught
    if raised is None:
        return None
    failure = next((found for link in raised.chain if (found := _failure(case, link))), None)
    if failure is None:
        return None
    record = failure.record
    place = case.locate(record.frames[-1]) if record.frames else case.locate_exception(raised.chain)
    evidence = [Evidence(fact="the assertion", value=failure.message, source=type(record).__name__)]
    if record.made:
        evidence.append(
            Evidence(fact="origin of the tensor", value=_line(record.made[-1]), source=type(record).__name__)
        )
    return Finding(
        message=failure.message,
        certainty="certain",
        location=place,
        culprit=Culprit(
            kind="layer" if record.layer and record.name.endswith(f" of {record.layer}") else "tensor",
            name=record.layer if record.name.endswith(f" of {record.layer}") else record.name or None,
            shape=list(record.shape) if isinstance(record, AssertionFailed) else None,
            dtype=record.dtype if isinstance(record, AssertionFailed) else None,
            rows=failure.rows,
        ),
        evidence=evidence,
        advice=[f"Look at where the tensor comes from: {record.source}."] if record.source else [],
    )


def _failure(case: Case, link: RaisedException) -> _Failure | None:
    said = _even(link.message)
    for failed in reversed(case.records.all(AssertionFailed)):
        if _even(failed.message) in said:
            rows = Rows(batch=failed.rows, count=failed.row_count) if failed.row_count else None
            return _Failure(failed, failed.message, rows)
    # TensorFlow prints a text with its quotes escaped.
    said = said.replace('\\"', '"').replace("\\'", "'")
    for placed in reversed(case.records.all(AssertionPlaced)):
        head = _even(placed.head)
        at = said.find(head)
        if at >= 0:
            rest = graph_messages.NODE_THAT_RAN.pattern.split(said[at + len(head) :])[0]
            told = f"{head} {_PIECES.sub(' ', rest).strip('] [')}"
            return _Failure(placed, _closed(told).replace(" ; ", "; "), _rows(told))
    return None


def _rows(told: str) -> Rows | None:
    count, _, where = told.partition("the first at")
    positions = [[int(word) for word in found.split()] for found in _POSITIONS.findall(where.partition(" are ")[0])]
    if not positions or len(positions[0]) < 2:
        return None
    number = _COUNT.search(count)
    rows = list(dict.fromkeys(position[0] for position in positions))
    # Only the first few elements are known: where these are all, so are the rows.
    return Rows(batch=rows, count=len(rows) if number and int(number[1]) == len(positions) else 0)


def _closed(text: str) -> str:
    """Without a bracket of TensorFlow's that was cut in two."""
    return text + "]" * max(text.count("[") - text.count("]"), 0)


def _line(frame: Frame) -> str:
    return f"{frame.file}:{frame.line} in {frame.function}"


def _even(text: str) -> str:
    return " ".join(text.split())
