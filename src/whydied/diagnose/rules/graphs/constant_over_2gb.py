"""An array of more than 2 GB was to become a constant of a graph.

## What it detects
The error that a tensor or a graph is larger than 2 GB.

## Why it happens
An array that is used in a graph without being fed becomes a constant of the graph. A graph travels as a protocol
buffer, which cannot be larger than 2 GB.

## Evidence
The exception with its line, and the parts of the failing statement with their shapes.

## How it is proved
The exception is direct evidence: certain.

## Fix
Feed the array (`feed_dict` with a placeholder, an argument of the `tf.function`), or read it through `tf.data`.

## Known problems
Smaller constants that take the memory all the same: see large-constant-in-graph.

## References
Protocol Buffers documentation: total message size.
"""

from __future__ import annotations

import re

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.exceptions import evidence_of
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import Operand, RaisedException

_TOO_LARGE = re.compile(
    r"tensor proto whose content is larger than 2GB|larger than 2 ?GB|GraphDef cannot be larger than 2GB"
    r"|exceeded maximum protobuf size|Failed to serialize message|tensor proto .*2GB",
    re.IGNORECASE,
)
_ADVICE = [
    "Feed the array instead: a placeholder with `feed_dict`, an argument of the `tf.function`, or `tf.data`.",
]


def check(case: Case) -> Finding | None:
    raised = case.uncaught
    link = next((one for one in raised.chain if _TOO_LARGE.search(one.message)), None) if raised else None
    if raised is None or link is None:
        return None
    place = case.locate_exception([link, *raised.chain])
    array = _largest(link)
    size = _bytes(array) if array else None
    what = f"`{array.text}` ({array.shape}, {array.dtype})" if array else "an array"
    amount = f" of {words.size(size)}" if size else ""
    return Finding(
        message=f"{prefix(place)}{what}{amount} was to become a constant of a graph, which cannot hold 2 GB",
        certainty="certain",
        location=place,
        culprit=Culprit(
            kind="array",
            name=array.text if array else None,
            shape=array.shape if array else None,
            dtype=array.dtype if array else None,
            bytes=size,
        ),
        evidence=evidence_of(link, raised),
        advice=_ADVICE,
    )


def _largest(link: RaisedException) -> Operand | None:
    shaped = [operand for operand in link.operands if operand.shape]
    return max(shaped, key=lambda operand: _bytes(operand) or 0, default=None)


def _bytes(operand: Operand) -> int | None:
    digits = re.search(r"(\d+)", operand.dtype or "")
    size = int(digits[1]) // 8 if digits else None
    for extent in operand.shape or []:
        size = size * (extent or 1) if size is not None else None
    return size
