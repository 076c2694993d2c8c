"""Finds the exception of a run that says a certain thing, and the lines of the user's that its text names. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.records import ExceptionRaised, Frame, RaisedException
from whydied.texts import python_output

_LINE = python_output.FRAME_IN_TEXT.pattern


class Quotation(NamedTuple):
    """An exception and the words in it. `place` is the innermost line of the user's that it went through."""

    raised: ExceptionRaised
    link: RaisedException
    match: re.Match[str]
    place: Location | None


def quoted(case: Case, *patterns: re.Pattern[str]) -> Quotation | None:
    """The exception nearest to the root of an uncaught chain whose text has one of the patterns in it."""
    raised = case.uncaught
    for link in nearest_root(raised):
        for pattern in patterns:
            found = pattern.search(link.message)
            if found is not None and raised is not None:
                return Quotation(raised, link, found, case.locate_exception([link, *raised.chain]))
    return None


def nearest_root(raised: ExceptionRaised | None) -> list[RaisedException]:
    """The links of a chain from its root on, those that went through the user's code first: a session raises the same
    error twice, and only the later one has the line."""
    links = raised.chain[::-1] if raised else []
    return sorted(links, key=lambda link: not any(frame.user for frame in link.frames))


def named_line(case: Case, text: str) -> Location | None:
    """The last line of the user's that a text names, such as the one where a node of a graph was made."""
    return next(iter(named_lines(case, text)), None)


def named_lines(case: Case, text: str) -> list[Location]:
    """All of them, the last first."""
    frames = [
        Frame(file=found["file"], line=int(found["line"]), function=found["function"], user=True)
        for found in reversed(list(_LINE.finditer(text)))
        if found["file"] in case.recording.sources
    ]
    return [case.locate(frame) for frame in frames]
