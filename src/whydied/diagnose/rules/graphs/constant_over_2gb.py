"""A large array is baked into a graph as a constant.

## What it detects
The error that a tensor or a graph is larger than 2 GB, and a v1 graph one of whose lines holds constants that make up
a large part of the memory.

## Why it happens
An array that is used in a graph without being fed becomes a constant of the graph. A graph travels as a protocol
buffer, which cannot be larger than 2 GB, and the constant is copied several times on its way.

## Evidence
The exception with its line, the parts of the failing statement; the constants of the graph by the line that made
them, as seen at the first runs of a session.

## How it is proved
The exception is direct evidence: certain. Constants that make up at least 25 % of what the program held above its
libraries, when memory ended it: likely.

## Fix
Feed the array (`feed_dict` with a placeholder, an argument of the `tf.function`), or read it through `tf.data`.

## Known problems
Constants inside the functions of `tf.function` are seen only through the exception.

## References
Protocol Buffers documentation: total message size.
"""

from __future__ import annotations

import re

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.exceptions import evidence_of
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.diagnose.footprint import baseline_bytes
from whydied.diagnose.rules.memory import host_oom_kill, memory_limit_reached
from whydied.records import Frame, GraphAddition, Operand, RaisedException, SessionRan

SHARE = 0.25
_TOO_LARGE = re.compile(
    r"tensor proto whose content is larger than 2GB|larger than 2 ?GB|GraphDef cannot be larger than 2GB"
    r"|exceeded maximum protobuf size|Failed to serialize message|tensor proto .*2GB",
    re.IGNORECASE,
)
_ADVICE = [
    "Feed the array instead: a placeholder with `feed_dict`, an argument of the `tf.function`, or `tf.data`.",
]


def check(case: Case) -> Finding | None:
    return _refused(case) or _heavy(case)


def _refused(case: Case) -> Finding | None:
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


def _heavy(case: Case) -> Finding | None:
    if case.principal is None or not (host_oom_kill.check(case) or memory_limit_reached.check(case)):
        return None
    ran = case.principal.all(SessionRan)
    additions = [addition for one in ran[:1] for addition in one.added]
    worst: GraphAddition | None = max(additions, key=lambda one: one.constant_bytes, default=None)
    own = (case.recording.peak_rss_bytes or 0) - baseline_bytes(case)
    if worst is None or worst.constant_bytes < max(SHARE * own, 64 << 20):
        return None
    place = case.locate(Frame(file=worst.file, line=worst.line, function=worst.function))
    return Finding(
        message=f"{prefix(place)}this line put constants of {words.size(worst.constant_bytes)} into the graph, where "
        "each is held several times",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="constant", bytes=worst.constant_bytes),
        evidence=[
            Evidence(
                fact="constants of the graph at its first run",
                value=words.size(worst.constant_bytes),
                source="SessionRan",
            )
        ],
        advice=_ADVICE,
    )
