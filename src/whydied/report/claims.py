"""What a report says beyond its first two sentences, as plain texts: shared by the console, notebooks, pages and
whatever else shows one. Pure.

Sentences come from the findings; this module only chooses and orders them. Invariant: one claim is made once.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from whydied import places, words
from whydied.diagnose.finding import Evidence, Finding, Fix, Location
from whydied.prove.patching.choice import is_offered, ranked
from whydied.report import headline, plain, telling_facts
from whydied.report.summary import Report

MOST_ALSO_SEEN = 3


def place(location: Location) -> str:
    """`/home/me/train.py, line 12, in main`; a cell has a number, and a file only of the kernel's making."""
    file = plain.line(location.file) if location.cell is None else f"cell [{location.cell}]"
    told = f"{file}, line {location.line}"
    if location.function and location.function != "<module>":
        told += f", in {plain.line(location.function)}"
    return told


def chain(report: Report) -> list[Finding]:
    """From the cause to the death, both included, as far as the findings are linked."""
    by_id = {finding.id: finding for finding in report.findings}
    links = [report.death] if report.death else []
    while links and links[-1].because_of in by_id and len(links) <= len(by_id):
        links.append(by_id[links[-1].because_of or ""])
    if report.cause and all(link.id != report.cause.id for link in links):
        links.append(report.cause)
    return links[::-1]


def way(shown: Finding | None, report: Report) -> list[str]:
    """How a bad value went through the program, from the source to what was seen of it."""
    told = []
    for link in shown.chain if shown else ():
        elsewhere = ""
        if link.location is not None and shown is not None and link.location != shown.location:
            elsewhere = f" ({headline.where(link.location, report)})"
        told.append(plain.line(link.words).rstrip(".") + elsewhere)
    return told


def consequences(report: Report) -> list[str]:
    """What the cause led to, up to the death, as sentences."""
    steps = chain(report)
    start = next((at for at, step in enumerate(steps) if report.cause and step.id == report.cause.id), 0)
    told = []
    for step in steps[start + 1 :]:
        elsewhere = step.location is not None and report.cause is not None and step.location != report.cause.location
        place = headline.where(step.location, report) if step.location and elsewhere else ""
        exception = headline.exception_type(step)
        if exception is None:
            told.append(f"{place}: {headline.finding_sentence(step)}" if place else headline.finding_sentence(step))
        elif place:
            # Its text is in the traceback.
            told.append(f"{exception} at {place}.")
    return told


def shown_facts(report: Report) -> list[Evidence]:
    return telling_facts.telling_facts(report, chain(report))


def remedies(report: Report) -> list[str]:
    """What to do, as sentences: fixes, the proved ones first, then advice, which speaks of the patches that nobody has
    tried."""
    about = report.cause or report.death
    proved = [fix for fix in report.fixes if fix.verdict == "proved"]
    fixes = proved or [fix for fix in report.fixes if fix.verdict != "untested" or fix.fails_alike or fix.patch is None]
    told = {fix.title.lower().rstrip(".") for fix in fixes}
    # A suggestion that ends the message has been made, and what was proved needs no other beside it.
    advice = [phrase for phrase in about.advice if phrase.lower() not in about.message.lower()] if about else []
    advice = [phrase for phrase in advice if not proved and phrase.lower().rstrip(".") not in told]
    magic = ["`%whydied fix` shows the change of the cell."] if headline.is_cell(report) and offered(report) else []
    return [*map(_fix, fixes), *map(headline.sentence, advice), *magic]


def offered(report: Report) -> list[Fix]:
    """The patches that may help, the best first."""
    return [fix for fix in ranked(report.fixes) if is_offered(fix)]


def _fix(fix: Fix) -> str:
    phrase = f"{plain.line(fix.title).rstrip('.')} ({fix.tested}"
    if fix.compared:
        phrase += f": {plain.line(fix.compared)}"
    return f"{phrase})."


def also_seen(report: Report) -> list[str]:
    """What was found and is not known to have a part in how the run ended."""
    told = {finding.id for finding in chain(report)}
    others = [finding for finding in report.findings if finding.id not in told and finding.certainty != "possible"]
    return [headline.brief(finding.message, report) for finding in others[:MOST_ALSO_SEEN]]


def known_of_run(report: Report) -> list[tuple[str, str]]:
    """The run itself: how it was started, its limit and peak, versions; names and words."""
    run, memory = report.run, report.memory
    known = [("command", shlex.join(run.argv)), ("directory", run.cwd), ("started", run.started)]
    known += [("name", run.name or ""), ("recording", run.directory)]
    if memory.peak_rss_bytes is not None:
        known.append(("peak memory", words.size(memory.peak_rss_bytes)))
    if memory.limit_bytes is not None:
        whose = ", set by --memory-limit" if memory.limit_ours else ""
        known.append(("memory limit", f"{words.size(memory.limit_bytes)} ({memory.limit_kind}{whose})"))
    known += [(f"label {key}", value) for key, value in sorted(run.labels.items())]
    if run.versions:
        known.append(("versions", ", ".join(f"{name} {version}" for name, version in run.versions.items())))
    return [(name, plain.line(value)) for name, value in known if value]


def commands(report: Report, *, everything: bool = False) -> list[str]:
    """The commands that tell more than this page did, and those that fix it or try that first."""
    return telling(report, everything) + fixing(report)


def telling(report: Report, everything: bool, room: int | None = None) -> list[str]:
    about = report.cause or report.death
    options = [] if everything else ["--all"]
    shown = command(report, "show", report.run.id, *options)
    if room is not None and len(shown) > room:
        shown = command(report, "show", _short(report), *options)
    return [shown, *([f"whydied explain {plain.line(about.code)}"] if about else [])]


def fixing(report: Report) -> list[str]:
    fixes = offered(report)
    if not fixes or headline.is_cell(report):
        return []
    names = ["fix"] if fixes[0].verdict == "proved" else ["fix", "prove"]
    return [command(report, name, _short(report)) for name in names]


def _short(report: Report) -> str:
    """The end of an id is enough to find the run."""
    return report.run.id.rpartition("-")[2]


def command(report: Report, name: str, run: str, *options: str) -> str:
    directory = Path(report.run.directory) if report.run.directory else None
    parts = ["whydied", name, plain.line(run), *options]
    if directory is not None and directory.parent != places.default_runs():
        parts += ["--runs", plain.line(str(directory.parent))]
    return shlex.join(parts)
