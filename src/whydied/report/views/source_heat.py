"""The user's source with the lines that matter: the culprit, the places that the report speaks of, and how much memory
each line took. Pure."""

from __future__ import annotations

import msgspec

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding, Location
from whydied.report import plain
from whydied.report.summary import Report

MOST_FILES = 6
AROUND = 6
MOST_LINES = 160
"""Of a file: the stretches around what matters, those of the cause first."""


class SourceLine(msgspec.Struct, frozen=True, kw_only=True):
    """`heat` is the part of the largest growth that this line had, `note` what is said of it."""

    number: int
    text: str
    heat: float = 0.0
    bytes: str = ""
    mark: str = ""
    note: str = ""


class SourceFile(msgspec.Struct, frozen=True, kw_only=True):
    """The stretches of a file that are shown, each in the order of its lines."""

    name: str
    path: str
    stretches: list[list[SourceLine]]
    lines: int


def heat(case: Case, report: Report, *, grown: bool) -> list[SourceFile]:
    """The files that the report speaks of, that of the cause first; with `grown` also those whose lines took memory."""
    notes = _notes(report)
    sizes = {(one.file, one.line): one.bytes for one in report.memory.by_line} if grown else {}
    most = max(sizes.values(), default=0)
    files: list[str] = list(dict.fromkeys([file for file, _ in notes] + [file for file, _ in sizes]))
    found = []
    for file in files[:MOST_FILES]:
        source = case.sources.get(file) or case.project.get(file)
        if source is None:
            continue
        told = {line: text for (name, line), text in notes.items() if name == file}
        hot = {line: size for (name, line), size in sizes.items() if name == file}
        shown = _shown([*told, *sorted(hot, key=lambda line: -hot[line])], len(source.lines))
        lines = [
            SourceLine(
                number=number,
                text=plain.block(source.lines[number - 1]).replace("\n", " "),
                heat=round(hot.get(number, 0) / most, 3) if most else 0.0,
                bytes=f"+{words.size(hot[number])}" if number in hot else "",
                mark=told[number][0] if number in told else "",
                note=told[number][1] if number in told else "",
            )
            for number in shown
        ]
        name = plain.line(file.rsplit("/", 1)[-1])
        found.append(SourceFile(name=name, path=plain.line(file), stretches=_stretches(lines), lines=len(source.lines)))
    return found


def _notes(report: Report) -> dict[tuple[str, int], tuple[str, str]]:
    """What each place is, by file and line: the first word that is said of it stays."""
    found: dict[tuple[str, int], tuple[str, str]] = {}

    def say(place: Location | None, mark: str, text: str) -> None:
        if place is not None:
            found.setdefault((place.file, place.line), (mark, text))

    def speak(finding: Finding, mark: str) -> None:
        say(finding.location, mark, f"{finding.code} {finding.name}")
        for link in finding.chain:
            say(link.location, "way", link.words)

    if report.cause is not None:
        speak(report.cause, "cause")
    if report.death is not None:
        speak(report.death, "end")
    for finding in report.findings:
        speak(finding, "also")
    return found


def _shown(wanted: list[int], length: int) -> list[int]:
    shown: set[int] = set()
    for line in wanted:
        around = set(range(max(1, line - AROUND), min(length, line + AROUND) + 1))
        if len(shown | around) > MOST_LINES:
            break
        shown |= around
    return sorted(shown)


def _stretches(lines: list[SourceLine]) -> list[list[SourceLine]]:
    found: list[list[SourceLine]] = []
    for line in lines:
        if found and found[-1][-1].number == line.number - 1:
            found[-1].append(line)
        else:
            found.append([line])
    return found
