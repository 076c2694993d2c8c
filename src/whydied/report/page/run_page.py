"""The report of a run as a page. Runs in the parent, after death; pure but for the files of this package."""

from __future__ import annotations

from typing import Any

import msgspec

from whydied import words
from whydied.diagnose.finding import Fix
from whydied.report import claims, headline, plain, telling_facts
from whydied.report.page.html_document import document
from whydied.report.summary import Report
from whydied.report.views.alive_at_peak import Alive
from whydied.report.views.bad_value import Course, Level
from whydied.report.views.memory_timeline import Timeline
from whydied.report.views.run_views import Views, is_about_memory

MOST_FIXES = 4
_TONES = {"finished": "calm", "running": "calm", "stopped": "calm", "failed": "bad", "died": "bad", "hung": "bad"}
_STATES = {
    "finished": "finished",
    "running": "still running",
    "stopped": "stopped",
    "failed": "failed",
    "died": "died",
    "hung": "hung",
}


def run_page(report: Report, views: Views, *, live: bool = False, refresh_s: int | None = None, index: str = "") -> str:
    """The page of a run. `live` says that it is of a program that still runs; a server has it asked for again after
    `refresh_s` seconds, and links the list of all runs."""
    about = report.cause or report.death
    shown: dict[str, Any] = {
        "title": f"{headline.program(report)}: {_STATES[report.outcome]}",
        "report": report,
        "views": views,
        "live": live,
        "refresh": refresh_s,
        "index": index,
        "tone": _tone(report),
        "state": "finished, but something is wrong" if _is_doubtful(report) else _STATES[report.outcome],
        "program": headline.program(report),
        "happened": headline.happened(report),
        "why": headline.brief(headline.why(report) or "", report),
        "about": about,
        "place": claims.place(about.location) if about and about.location else "",
        "way": [headline.brief(text, report) for text in claims.way(about, report)],
        "consequences": [headline.brief(text, report) for text in claims.consequences(report)],
        "remedies": [headline.brief(text, report) for text in claims.remedies(report)],
        "fixes": claims.offered(report)[:MOST_FIXES],
        "patch_rows": patch_rows,
        "course_rows": _course_rows,
        "level_rows": _level_rows,
        "mark_rows": _mark_rows,
        "part_rows": _part_rows,
        "evidence": _evidence(report),
        "about_memory": is_about_memory(report),
        "others": [finding for finding in report.findings if finding not in claims.chain(report)],
        "known": claims.known_of_run(report),
        "commands": claims.commands(report),
    }
    drawn = msgspec.structs.replace(views, sources=[], errors=[]) if _has_charts(views) else None
    return document("run.html", shown, drawn)


def patch_rows(fix: Fix) -> list[tuple[str, str]]:
    """The lines of a patch, each with what it does: "add", "drop", "at" or "same"."""
    kinds = {"+": "add", "-": "drop", "@": "at"}
    rows = [row for row in (fix.patch or "").rstrip("\n").split("\n") if not row.startswith(("--- ", "+++ "))]
    return [(kinds.get(row[:1], "same"), plain.block(row)) for row in rows]


def _course_rows(courses: list[Course]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for course in courses:
        finite = [value for _, value in course.points if value is not None]
        bad = [step for step, value in course.points if value is None]
        first, last, most = (f"{one:.4g}" for one in (finite[0], finite[-1], max(finite))) if finite else ("", "", "")
        rows.append((course.name, first, last, most, f"from step {bad[0]:.0f} on" if bad else ""))
    return rows


def _level_rows(levels: list[Level]) -> list[tuple[str, ...]]:
    return [(one.layer, "not finite" if one.largest is None else f"{one.largest:.4g}", one.place) for one in levels]


def _mark_rows(timeline: Timeline) -> list[tuple[str, ...]]:
    return [(words.duration(mark.at), mark.words or mark.label) for mark in timeline.marks]


def _part_rows(alive: Alive) -> list[tuple[str, ...]]:
    return [(part.name, words.size(part.bytes), part.words) for part in alive.parts]


def _tone(report: Report) -> str:
    return "doubt" if _is_doubtful(report) else "good" if report.outcome == "finished" else _TONES[report.outcome]


def _is_doubtful(report: Report) -> bool:
    return report.outcome == "finished" and report.cause is not None


def _has_charts(views: Views) -> bool:
    return bool(views.timeline or views.alive or views.waiting or views.bad_value)


def _evidence(report: Report) -> list[dict[str, Any]]:
    """The findings from the cause to the end with their facts as rows, each told once; a value of several lines keeps
    them."""
    found = []
    told: set[tuple[str, str]] = set()
    for finding in claims.chain(report):
        rows = []
        for piece in finding.evidence:
            if (piece.fact, str(piece.value)) in told:
                continue
            told.add((piece.fact, str(piece.value)))
            long = isinstance(piece.value, str) and "\n" in piece.value.strip()
            value = plain.block(piece.value) if long else telling_facts.spoken(piece)
            row = {
                "name": telling_facts.name_of(piece),
                "told": value,
                "long": long,
                "source": plain.line(piece.source),
            }
            rows.append(row)
        found.append({"finding": finding, "message": headline.finding_sentence(finding), "rows": rows})
    return found
