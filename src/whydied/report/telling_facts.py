"""The evidence of a report: which facts are worth a line, and how each is said. Pure.

Invariant: what the first two lines of the report state is not stated again.
"""

from __future__ import annotations

import re
from typing import Any

from whydied import words
from whydied.diagnose.finding import Evidence, Finding
from whydied.report import plain, sizes
from whydied.report.summary import Report

_UNIT = re.compile(r"(?:[ _]in)?[ _](?:bytes|s|seconds)$")
_SAID_ELSEWHERE = (
    "exception",
    "exception being handled",
    "ended by",
    "memory at failure",
    "rows out of range",
    "first values out of range",
    "rows checked",
)
"""Facts that the first two lines state, or that only a report about memory needs, which has its own figures."""
_LEAST_QUOTED = 12
"""A shorter value may stand in the message by chance."""
_LOOKUPS = ("attribute", "file", "import", "index", "key", "module", "name")
"""What was looked up and is not there: the data of the call around it say nothing about that."""


def all_facts(report: Report, chain: list[Finding]) -> list[Evidence]:
    """The evidence from the cause to the death, each piece once."""
    found: dict[tuple[str, str], Evidence] = {}
    for finding in [report.cause, *reversed(chain)]:
        for piece in finding.evidence if finding else ():
            found.setdefault((piece.fact, str(piece.value)), piece)
    return list(found.values())


def telling_facts(report: Report, chain: list[Finding]) -> list[Evidence]:
    """The evidence without what is said elsewhere, and without what does not bear on the cause."""
    about = report.cause or report.death
    is_lookup = about is not None and about.name == "uncaught-exception" and kind_of(about) in _LOOKUPS
    found = [piece for piece in all_facts(report, chain) if piece.fact not in _SAID_ELSEWHERE]
    found = [piece for piece in found if not (is_lookup and piece.source == "ErrorFacts")]
    return [piece for piece in found if about is None or not _is_quoted(piece.value, about.message)]


def _is_quoted(value: object, message: str) -> bool:
    return isinstance(value, str) and len(value) >= _LEAST_QUOTED and value in message


def kind_of(finding: Finding) -> str:
    return finding.culprit.kind if finding.culprit else ""


def stated(piece: Evidence) -> str:
    """A fact with its value, without where it comes from."""
    value = spoken(piece)
    return name_of(piece) + (f": {value}" if value else "")


def name_of(piece: Evidence) -> str:
    return _UNIT.sub("", plain.line(piece.fact))


def spoken(piece: Evidence) -> str:
    """A measured value as people say it: bytes as a size, seconds as a duration."""
    value: Any = piece.value
    if isinstance(value, bool) or value is None:
        return "" if value is None else sizes.number(value)
    if isinstance(value, int | float):
        phrase = piece.fact.replace("_", " ").split()
        if phrase and phrase[-1] == "bytes":
            return words.size(value)
        if phrase and phrase[-1] in ("s", "seconds"):
            return words.duration(value)
        return sizes.number(value)
    if isinstance(value, list | tuple):
        return ", ".join(spoken(Evidence(fact=piece.fact, value=item, source="")) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{plain.line(str(key))} {plain.line(str(item))}" for key, item in value.items())
    return plain.line(str(value))
