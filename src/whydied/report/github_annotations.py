"""The report as annotations of a GitHub workflow, on the lines that it is about. Pure.

Invariant: at most `MOST` commands, each of one line (see `whydied.lint.formats.github_commands`): GitHub shows ten of a
kind for a step and drops the others. A healthy run has none.
"""

from __future__ import annotations

import os

from whydied.diagnose.finding import Finding
from whydied.lint.formats.github_commands import workflow_command
from whydied.report import headline, plain, sentences
from whydied.report.summary import Report

MOST = 10
MOST_CHARACTERS = 4000


def annotations_of(report: Report, workspace: str = "") -> list[str]:
    """The cause first, as an error, or as a warning of a program that finished; then what else was seen, as warnings.
    Files are told from `workspace`, the directory of the repository, or from where the program ran."""
    about = report.cause or report.death
    if about is None and report.outcome in ("finished", "running"):
        return []
    kind = "warning" if report.outcome in ("finished", "stopped", "running") else "error"
    told = [headline.happened(report), headline.why(report) or "", *sentences.remedies(report)]
    message = "\n".join(plain.line(text) for text in told if text)
    shown = [_command(kind, about, message, report, workspace)]
    main = {finding.id for finding in sentences.chain(report)}
    others = [one for one in report.findings if one.id not in main and one.certainty != "possible"]
    shown += [_command("warning", one, plain.line(one.message), report, workspace) for one in others]
    return shown[:MOST]


def _command(kind: str, finding: Finding | None, message: str, report: Report, workspace: str) -> str:
    title = f"whydied {finding.code} {finding.name}" if finding else "whydied"
    properties: dict[str, str | int] = {"title": title}
    place = finding.location if finding else None
    # A line of a cell is not a line of a file.
    if place is not None and place.cell is None:
        properties["file"] = plain.line(_from(place.file, [workspace, report.run.cwd]))
        properties["line"] = place.line
        if place.end_line is not None and place.end_line > place.line:
            properties["endLine"] = place.end_line
    return workflow_command(kind, properties, message[:MOST_CHARACTERS])


def _from(file: str, directories: list[str]) -> str:
    for directory in directories:
        if directory and file.startswith(directory.rstrip(os.sep) + os.sep):
            return os.path.relpath(file, directory)
    return file
