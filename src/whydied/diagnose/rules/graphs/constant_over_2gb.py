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
Feed the array (`feed_dict` with a placeholder, an argument of the `tf.function`), read it through `tf.data`, or let the
graph read it when it runs (`tf.numpy_function`).

## Known problems
Smaller constants that take the memory all the same: see large-constant-in-graph.

## References
Protocol Buffers documentation: total message size.
"""

from __future__ import annotations

import re

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.exception_words import evidence_of
from whydied.diagnose.finding import Culprit, Finding
from whydied.diagnose.memory.graph_changes import read_changes
from whydied.records import ConstantMade, Operand, RaisedException
from whydied.texts import graph_messages
from whydied.texts.entry import any_of

_TOO_LARGE = any_of(graph_messages.TENSOR_OVER_2GB, graph_messages.GRAPH_OVER_2GB, graph_messages.MESSAGE_OVER_2GB)
LARGEST_BYTES = 1 << 31
"""What a graph's description can hold."""
_ADVICE = [
    "Pass the array in instead: a placeholder with `feed_dict`, an argument of the `tf.function`, or `tf.data`.",
    "`tf.numpy_function` reads it when the graph runs: the graph then has no copy of it.",
]

ROLE = "cause"


def check(case: Case) -> Finding | None:
    raised = case.uncaught
    link = next((one for one in raised.chain if _TOO_LARGE.search(one.message)), None) if raised else None
    if raised is None or link is None:
        return None
    place = case.locate_exception([link, *raised.chain])
    array = _named(link) or _seen(case)
    what = f"`{array.name}`" if array and array.name else "an array"
    form = f" ({array.shape}, {array.dtype})" if array and array.shape else ""
    amount = f" of {words.size(array.bytes)}" if array and array.bytes else ""
    return Finding(
        message=f"{prefix(place)}{what}{form}{amount} was to become a constant in a graph, which cannot hold 2 GB",
        certainty="certain",
        location=place,
        culprit=array or Culprit(kind="array"),
        evidence=evidence_of(link, raised),
        advice=_ADVICE,
        changes=read_changes(case, place, array) if array is not None else [],
    )


def _named(link: RaisedException) -> Culprit | None:
    """The largest part of the failing statement."""
    shaped = [operand for operand in link.operands if operand.shape]
    found = max(shaped, key=lambda operand: _bytes(operand) or 0, default=None)
    if found is None:
        return None
    return Culprit(kind="array", name=found.text, shape=found.shape, dtype=found.dtype, bytes=_bytes(found))


def _seen(case: Case) -> Culprit | None:
    """The array that was last seen on its way into a graph, where it is too large for one."""
    made = case.principal.all(ConstantMade) if case.principal else []
    last = made[-1] if made and made[-1].size_bytes >= LARGEST_BYTES else None
    return Culprit(kind="array", shape=last.shape, dtype=last.dtype, bytes=last.size_bytes) if last else None


def _bytes(operand: Operand) -> int | None:
    digits = re.search(r"(\d+)", operand.dtype or "")
    size = int(digits[1]) // 8 if digits else None
    for extent in operand.shape or []:
        size = size * (extent or 1) if size is not None else None
    return size
