"""The user's line with its neighbours, as they ran: the recording keeps them with the finding. Pure."""

from __future__ import annotations

from typing import NamedTuple

from whydied.diagnose.finding import Location
from whydied.report import plain

AROUND = 2


class SourceLine(NamedTuple):
    number: int
    text: str
    marked: bool


def excerpt(location: Location) -> list[SourceLine]:
    """The statement's first line, marked, with up to `AROUND` lines on each side as they ran; empty where nothing is
    known."""
    first = location.around_line
    shown = [SourceLine(first + at, text, first + at == location.line) for at, text in enumerate(location.around)]
    near = [line for line in shown if abs(line.number - location.line) <= AROUND]
    recorded = (location.source or "").split("\n")[0].rstrip()
    alone = [SourceLine(location.line, recorded, True)] if recorded.strip() else []
    return _indented_less(_without_blank_ends(near) or alone)


def _indented_less(lines: list[SourceLine]) -> list[SourceLine]:
    """Safe to print, without the white space that all of them begin with."""
    texts = [plain.block(line.text).replace("\n", " ") for line in lines]
    indent = min((len(text) - len(text.lstrip()) for text in texts if text.strip()), default=0)
    return [line._replace(text=text[indent:]) for line, text in zip(lines, texts, strict=True)]


def _without_blank_ends(lines: list[SourceLine]) -> list[SourceLine]:
    while lines and not lines[0].text.strip() and not lines[0].marked:
        lines = lines[1:]
    while lines and not lines[-1].text.strip() and not lines[-1].marked:
        lines = lines[:-1]
    return lines
