"""What the console report says, block by block. Pure.

Sentences come from the findings; this module only orders them: what happened, why, where, what that led to,
the evidence, what to do, what is not known, and how to see more. Invariant: one claim is made once; evidence takes at
most `EVIDENCE_LINES` lines, and an end that explains itself takes two, unless everything is asked for.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from rich.console import Console
from rich.text import Text

from whydied import places, words
from whydied.diagnose.finding import Evidence, Finding, Fix, Location
from whydied.prove.patching.choice import is_offered, ranked
from whydied.report import headline, ledger, plain, watched
from whydied.report import telling_facts as evidence
from whydied.report.excerpt import excerpt
from whydied.report.summary import Report
from whydied.report.terminal.page_layout import ASIDE, Block, Page
from whydied.report.terminal.sentences import continued

_VERDICTS = {
    "proved": "tried, it works",
    "refuted": "tried, it does not help",
    "untested": "not yet tried",
}
_MORE = "More: "
_COUNT_ROOM = 4
EVIDENCE_LINES = 5
MOST_ALSO_SEEN = 3
_SELF_EXPLAINING = ("interrupted", "program-not-found")
_MISSING_KINDS = ("file", "module")
_BAD_ARGUMENTS = 2
"""The exit status of argparse, click and most commands for arguments that they do not take."""
_OUTCOME_STYLES = dict.fromkeys(("finished", "stopped", "running"), "bold yellow")


def healthy_page(report: Report, console: Console) -> Page:
    """One line for a program that ended well."""
    page = Page(console)
    phrase = f"whydied: {headline.happened(report)[:-1]}; no problem was seen"
    asides = []
    if report.notes:
        asides.append(words.count(len(report.notes), "note"))
    if report.internal_errors:
        asides.append(words.count(len(report.internal_errors), "internal error"))
    phrase += f" ({' and '.join(asides)}: {_command(report, 'show', report.run.id, '--all')})." if asides else "."
    page.paragraph(page.text(phrase, "dim"))
    return page


def death_page(report: Report, console: Console, *, everything: bool) -> Page:
    page = Page(console, everything=everything, brief=lambda text: headline.brief(text, report))
    page.paragraph(page.text(headline.happened(report), _OUTCOME_STYLES.get(report.outcome, "bold red")), most=2)
    reason = headline.why(report)
    if reason:
        page.paragraph(page.text(reason, "bold"), most=4)
    if not everything and _explains_itself(report):
        return page
    page.gap()
    shown = report.cause or report.death
    if shown and shown.location:
        _where(page, shown.location)
        page.gap()
    _chain(page, shown, report)
    _list_block(page, "Led to", consequences(report), keep=1, spare=4)
    _evidence(page, report)
    _to_do(page, report)
    _unknown(page, report)
    if not everything:
        _list_block(page, "Also seen", also_seen(report), keep=1, spare=ASIDE)
    _list_block(page, "Note", report.notes, keep=0, spare=ASIDE)
    if everything:
        _everything(page, report)
    _own_errors(page, report, everything)
    page.gap()
    footer = _footer(page, report, everything)
    page.rows(footer)
    page.fit()
    if page.hidden:
        footer[0].plain = footer[0].plain.replace(_MORE, f"{page.hidden} more: ", 1)
    return page


def _explains_itself(report: Report) -> bool:
    """Ctrl-C, a missing file, a wrong option: nothing below it was found, and the two lines say it all."""
    death = report.death
    if death is None or len(report.findings) > 1 or report.undetermined or report.notes or report.internal_errors:
        return False
    if death.name == "exited-early":
        said = [str(piece.value) for piece in death.evidence if piece.fact == "last lines of output"]
        return report.run.exit_code == _BAD_ARGUMENTS and any("error: " in text for text in said)
    return death.name in _SELF_EXPLAINING or (
        death.name == "uncaught-exception" and evidence.kind_of(death) in _MISSING_KINDS
    )


def _where(page: Page, location: Location) -> None:
    lines = excerpt(location)
    block = Block("Where", keep=1, spare=9)
    block.items.append(page.item(page.text(place(location)), most=2))
    page.block(block)
    digits = len(str(max((line.number for line in lines), default=0)))
    rows = []
    for line in lines:
        row = page.text(f"{'>' if line.marked else ' '} {line.number:>{digits}} | {line.text}".rstrip())
        row = Text(" " * page.margin) + row
        row.stylize("bold yellow" if line.marked else "dim")
        if row.cell_len > page.width:
            ellipsis = page.text("…").plain
            row.truncate(page.width - len(ellipsis))
            row.append(ellipsis)
        rows.append(row)
    page.rows(rows)


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


def _chain(page: Page, shown: Finding | None, report: Report) -> None:
    block = Block("How", keep=2, spare=5)
    for number, link in enumerate(way(shown, report), 1):
        block.items.append(page.item(page.text(f"{number}. {link}"), hanging=3))
    page.block(block)


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
    return evidence.telling_facts(report, chain(report))


def _evidence(page: Page, report: Report) -> None:
    block = Block("Evidence", keep=1, spare=2)
    for piece in evidence.all_facts(report, chain(report)) if page.everything else shown_facts(report):
        item = _fact(page, piece)
        if page.everything or not block.items or sum(map(len, block.items)) + len(item) <= EVIDENCE_LINES:
            block.items.append(item)
        else:
            page.hidden += 1
    page.block(block)


def _fact(page: Page, piece: Evidence) -> list[Text]:
    """A fact; with everything also the records that it comes from, and the line breaks of its value."""
    if not page.everything:
        return page.item(page.text(evidence.stated(piece)), hanging=2)
    source = page.text(f"  [{plain.line(piece.source)}]", "dim") if piece.source else Text("")
    if isinstance(piece.value, str) and "\n" in piece.value.strip():
        rows = [
            row
            for line in plain.block(piece.value).strip().split("\n")
            for row in page.item(page.text(line), hanging=2)
        ]
        head = page.item(page.text(f"{evidence.name_of(piece)}:") + source, hanging=2)
        return [*head, *[Text("  ") + row for row in rows]]
    return page.item(page.text(evidence.stated(piece)) + source, hanging=2)


def _to_do(page: Page, report: Report) -> None:
    block = Block("What to do", keep=1, spare=3)
    block.items = [page.item(page.text(sentence), most=3) for sentence in remedies(report)]
    page.block(block)


def remedies(report: Report) -> list[str]:
    """What to do, as sentences: fixes, the proved ones first, then advice, which speaks of the patches that nobody has
    tried."""
    about = report.cause or report.death
    proved = [fix for fix in report.fixes if fix.verdict == "proved"]
    fixes = proved or [fix for fix in report.fixes if fix.verdict != "untested" or fix.patch is None]
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
    phrase = f"{plain.line(fix.title).rstrip('.')} ({_VERDICTS[fix.verdict]}"
    if fix.compared:
        phrase += f": {plain.line(fix.compared)}"
    return f"{phrase})."


def _unknown(page: Page, report: Report) -> None:
    # Without a cause the second line of the page has already said it.
    if report.undetermined and report.cause:
        _list_block(page, "Unknown", [report.undetermined], keep=1, spare=5)


def also_seen(report: Report) -> list[str]:
    """What was found and is not known to have a part in how the run ended."""
    told = {finding.id for finding in chain(report)}
    others = [finding for finding in report.findings if finding.id not in told and finding.certainty != "possible"]
    return [headline.brief(finding.message, report) for finding in others[:MOST_ALSO_SEEN]]


def _list_block(page: Page, label: str, texts: list[str], *, keep: int, spare: int) -> None:
    block = Block(label, keep=keep, spare=spare)
    block.items = [page.item(page.text(headline.sentence(text))) for text in texts]
    page.block(block)


def _everything(page: Page, report: Report) -> None:
    told = {finding.id for finding in chain(report)}
    others = [finding for finding in report.findings if finding.id not in told]
    page.gap()
    _list_block(page, "Also", [f"{f.code} {f.name}: {f.message}" for f in others], keep=0, spare=0)
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
    block = Block("Run", keep=0, spare=0)
    block.items = [page.item(page.text(f"{name}: {plain.line(value)}"), hanging=2) for name, value in known if value]
    page.block(block)
    _list_block(page, "By line", ledger.lines_of(memory), keep=0, spare=0)
    _list_block(page, "By op", ledger.ops_of(memory), keep=0, spare=0)
    _list_block(page, "Watched", watched.lines_of(report.watched), keep=0, spare=0)


def _own_errors(page: Page, report: Report, everything: bool) -> None:
    errors = report.internal_errors
    if not errors:
        return
    block = Block("Note" if not everything else "Internal", keep=1, spare=1)
    if everything:
        block.items = [page.item(page.text(plain.line(error)), hanging=2) for error in errors]
    else:
        block.items = [page.item(page.text(f"whydied had {words.count(len(errors), 'internal error')}: see --all."))]
    page.block(block)


def _command(report: Report, name: str, run: str, *options: str) -> str:
    directory = Path(report.run.directory) if report.run.directory else None
    parts = ["whydied", name, plain.line(run), *options]
    if directory is not None and directory.parent != places.default_runs():
        parts += ["--runs", plain.line(str(directory.parent))]
    return shlex.join(parts)


def commands(report: Report, *, everything: bool = False) -> list[str]:
    """The commands that tell more than this page did, and those that fix it or try that first."""
    return _telling(report, everything) + _fixing(report)


def _telling(report: Report, everything: bool, room: int | None = None) -> list[str]:
    about = report.cause or report.death
    options = [] if everything else ["--all"]
    shown = _command(report, "show", report.run.id, *options)
    if room is not None and len(shown) > room:
        shown = _command(report, "show", _short(report), *options)
    return [shown, *([f"whydied explain {plain.line(about.code)}"] if about else [])]


def _fixing(report: Report) -> list[str]:
    fixes = offered(report)
    if not fixes or headline.is_cell(report):
        return []
    names = ["fix"] if fixes[0].verdict == "proved" else ["fix", "prove"]
    return [_command(report, name, _short(report)) for name in names]


def _short(report: Report) -> str:
    """The end of an id is enough to find the run."""
    return report.run.id.rpartition("-")[2]


def _footer(page: Page, report: Report, everything: bool) -> list[Text]:
    """A command is never broken where it fits a line, and is continued as a shell takes it where it does not; those
    that belong together share a line where they fit."""
    # The count of what was hidden takes the place of the first word later, and may be longer.
    room = page.width - _COUNT_ROOM
    lines: list[str] = []
    for group in (_telling(report, everything, room - len(_MORE)), _fixing(report)):
        together = " · ".join(group)
        lines += [together] if len(_MORE) + len(together) <= room else group
    indent = " " * len(_MORE)
    shown = [row for line in lines if line for row in continued(line, room - len(_MORE))]
    heads = [_MORE, *[indent] * len(shown)]
    return [page.text(head + line, "dim") for head, line in zip(heads, shown, strict=False)]
