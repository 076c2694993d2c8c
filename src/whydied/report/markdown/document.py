"""The report as Markdown, for an issue, a chat, a job's summary or TensorBoard. Pure.

The sentences and their order are those of the console; this module only sets them. Invariant: everything that comes
from the program goes through `escaping`; a place below the program's working directory is told from there, so that a
text for others does not name the home of its writer.
"""

from __future__ import annotations

import os
import shlex

from whydied.diagnose.finding import Finding, Fix, Location
from whydied.report import claims, headline, plain, telling_facts
from whydied.report.excerpt import excerpt
from whydied.report.markdown.escaping import code, fenced, spoken
from whydied.report.summary import Report

MOST_PATCH_LINES = 200
MOST_EVIDENCE = 12
MOST_ITEMS = 12
MOST_CHARACTERS = 1500
"""Of one sentence, and a quarter of it of one line of code."""
MOST_IN_ALL = 60_000
"""An issue takes 65,536 characters."""


def report_document(report: Report, most: int = MOST_IN_ALL) -> str:
    """The report, as much of it as fits."""
    about = report.cause or report.death
    parts = [f"### {spoken(headline.happened(report))}"]
    if reason := headline.why(report):
        named = f" ({code(f'{about.code} {about.name}')})" if about else ""
        parts.append(f"**{spoken(_cut(headline.brief(reason, report)))}**{named}")
    if about and about.location:
        parts.append(_where(about.location, report.run.cwd))
    parts.append(_listed("How", [headline.brief(text, report) for text in claims.way(about, report)], numbered=True))
    parts.append(_listed("Led to", [headline.brief(text, report) for text in claims.consequences(report)]))
    facts = [headline.brief(telling_facts.stated(piece), report) for piece in claims.shown_facts(report)]
    parts.append(_listed("Evidence", facts[:MOST_EVIDENCE]))
    parts.append(_listed("What to do", [headline.brief(text, report) for text in claims.remedies(report)]))
    parts += [_patch(fix) for fix in claims.offered(report)[:1]]
    if report.undetermined and report.cause:
        parts.append(_listed("Unknown", [headline.sentence(report.undetermined)]))
    parts.append(_listed("Also seen", claims.also_seen(report)))
    parts.append(_listed("Note", report.notes))
    return _joined(parts, _run(report), most)


def finding_document(finding: Finding) -> str:
    """One finding by itself."""
    message = spoken(_cut(headline.finding_sentence(finding)))
    parts = [f"**{code(f'{finding.code} {finding.name}')}** ({finding.certainty}): {message}"]
    if finding.location:
        parts.append(_where(finding.location, ""))
    parts.append(_listed("How", [link.words for link in finding.chain], numbered=True))
    parts.append(_listed("Evidence", [telling_facts.stated(piece) for piece in finding.evidence[:MOST_EVIDENCE]]))
    return _joined(parts, _listed("What to do", [headline.sentence(text) for text in finding.advice]))


def place(location: Location, cwd: str) -> str:
    """`train.py`, line 12, in `main`."""
    if location.cell is not None:
        file = f"cell \\[{location.cell}]"
    else:
        below = cwd and location.file.startswith(cwd.rstrip(os.sep) + os.sep)
        file = code(os.path.relpath(location.file, cwd) if below else location.file)
    told = f"{file}, line {location.line}"
    if location.function and location.function != "<module>":
        told += f", in {code(_cut(location.function))}"
    return told


def _where(location: Location, cwd: str) -> str:
    lines = excerpt(location)
    digits = len(str(max((line.number for line in lines), default=0)))
    most = MOST_CHARACTERS // 4
    rows = [
        f"{'>' if line.marked else ' '} {line.number:>{digits}} | {_cut(line.text, most)}".rstrip() for line in lines
    ]
    told = f"**Where:** {place(location, cwd)}"
    return f"{told}\n\n{fenced(chr(10).join(rows), 'python')}" if rows else told


def _listed(label: str, texts: list[str], *, numbered: bool = False) -> str:
    told = [spoken(_cut(text)) for text in texts[:MOST_ITEMS]]
    items = [f"{f'{number}.' if numbered else '-'} {text}" for number, text in enumerate(told, 1) if text]
    return f"**{label}:**\n\n" + "\n".join(items) if items else ""


def _patch(fix: Fix) -> str:
    lines = plain.block(fix.patch or "").rstrip("\n").split("\n")
    shown = [_cut(line, MOST_CHARACTERS // 4) for line in lines[:MOST_PATCH_LINES]]
    more = "\n\nThis is not the whole patch: `whydied fix` shows it." if shown != lines else ""
    told = f"**Patch:** {spoken(_cut(fix.title.rstrip('.')))} ({fix.tested})"
    return f"{told}\n\n{fenced(chr(10).join(shown), 'diff')}{more}"


def _run(report: Report) -> str:
    run = report.run
    known = [("Command", code(_cut(shlex.join(run.argv))) if run.argv else ""), ("Run", code(run.id))]
    versions = ", ".join(f"{name} {version}" for name, version in run.versions.items())
    known.append(("Versions", spoken(_cut(versions))))
    known += [("Internal errors of whydied", str(len(report.internal_errors)))] if report.internal_errors else []
    return "  \n".join(f"**{name}:** {value}" for name, value in known if value)


def _joined(parts: list[str], last: str, most: int = MOST_IN_ALL) -> str:
    """The parts that there is room for, each whole or not at all, so that no fence stays open."""
    kept: list[str] = []
    more = "More than fits here: `whydied show --all`."
    room = most - len(last) - len(more) - 5
    for part in filter(None, parts):
        fits = len(part) + 2 <= room
        room -= len(part) + 2 if fits else 0
        kept.append(part if fits else "")
    left = len(kept) - len(list(filter(None, kept)))
    return "\n\n".join(part for part in [*kept, more if left else "", last] if part) + "\n"


def _cut(text: str, most: int = MOST_CHARACTERS) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
