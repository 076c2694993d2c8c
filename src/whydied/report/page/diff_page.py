"""Two runs side by side as a page. Runs in the parent; pure but for the files of this package."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from whydied.compare.difference import EFFECTS, Difference, Hunk
from whydied.diagnose.case import Case
from whydied.read.recording import Recording
from whydied.report import headline, plain
from whydied.report.compared import Compared, verdict
from whydied.report.page.html_document import document
from whydied.report.views.memory_timeline import Timeline, side_by_side, timeline
from whydied.report.views.run_views import Views

_TITLES = {
    "command": "Command",
    "code": "Code",
    "model": "Model",
    "data": "Data",
    "call": "Calls",
    "version": "Versions",
    "machine": "Machine",
    "memory": "Memory (an effect)",
    "speed": "Speed (an effect)",
}


def diff_page(compared: Compared, recordings: list[Recording]) -> str:
    """The page of a comparison; with the recordings of both runs also the picture of their memory."""
    sides = [
        {"name": name, "report": report, "happened": headline.happened(report), "why": headline.why(report) or ""}
        for name, report in (("Good", compared.good), ("Bad", compared.bad))
    ]
    accounts = compared.differences[compared.accounts] if compared.accounts is not None else None
    groups = [
        {"title": _TITLES[kind], "effect": kind in EFFECTS, "rows": list(rows)}
        for kind, rows in groupby(compared.differences, key=lambda one: one.kind)
    ]
    ends = (headline.happened(one) for one in (compared.good, compared.bad))
    lines = [_timeline(recording, ended) for recording, ended in zip(recordings, ends, strict=False)]
    both = side_by_side(*lines) if len(lines) == 2 else None
    shown: dict[str, Any] = {
        "title": f"{headline.program(compared.bad)}: what changed",
        "sides": sides,
        "verdict": list(verdict(compared)),
        "accounts": accounts,
        "groups": groups,
        "timeline": both,
        "hunk_rows": hunk_rows,
        "told": _told,
    }
    return document("diff.html", shown, Views(timeline=both) if both is not None else None)


def _timeline(recording: Recording, ended: str) -> Timeline | None:
    return timeline(Case(recording), ended)


def hunk_rows(hunk: Hunk) -> list[tuple[str, str]]:
    """The lines of a changed place, each with what happened to it."""
    old = [("drop", f"- {plain.block(line)}") for line in hunk.old]
    return old + [("add", f"+ {plain.block(line)}") for line in hunk.new]


def _told(one: Difference) -> str:
    """What is known of whether it accounts for the end."""
    marks = {"proved": "without it: ", "refuted": "no: without it ", "untested": ""}
    return marks[one.verdict] + (one.tried if one.verdict != "untested" else one.because)
