"""What trials of fixes did to the program, before and after. Pure."""

from __future__ import annotations

import math

import msgspec

from whydied import words
from whydied.report import plain
from whydied.report.summary import Report

_FIGURES = (
    ("peak_rss_bytes", "peak memory", words.size),
    ("growth_bytes_per_s", "growth a second", words.size),
    ("wall_s", "time", words.duration),
    ("step_s", "time of a step", words.duration),
)


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of the program without the change and with it; as numbers for the bars and as words beside them."""

    name: str
    before: float
    after: float
    before_words: str
    after_words: str


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    verdict: str
    before: str
    after: str
    pairs: list[Pair] = []


def trials(report: Report, *, figures: bool) -> list[Trial]:
    """The changes that were tried, the proved ones first; with `figures` what they did to memory and time."""
    found = []
    for fix in sorted(report.fixes, key=lambda one: one.verdict != "proved"):
        if fix.verdict == "untested" or not isinstance(fix.before, dict) or not isinstance(fix.after, dict):
            continue
        pairs = []
        for key, name, spoken in _FIGURES if figures else ():
            before, after = _number(fix.before.get(key)), _number(fix.after.get(key))
            if before is not None and after is not None:
                pairs.append(
                    Pair(name=name, before=before, after=after, before_words=spoken(before), after_words=spoken(after))
                )
        found.append(
            Trial(
                title=plain.line(fix.title),
                verdict=fix.verdict,
                before=plain.line(str(fix.before.get("words", ""))),
                after=plain.line(str(fix.after.get("words", ""))),
                pairs=pairs,
            )
        )
    return found


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)
