"""What the console report says, block by block. Pure.

Sentences come from the findings; this module only orders them: what happened, why, where, what that led to,
the evidence, what to do, what is not known, and how to see more. Invariant: one claim is made once; evidence takes at
most `EVIDENCE_LINES` lines, and an end that explains itself takes two, unless everything is asked for.
"""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from whydied import words
from whydied.diagnose.finding import Evidence, Finding, Location
from whydied.report import claims, headline, ledger, plain, watched
from whydied.report import telling_facts as evidence
from whydied.report.excerpt import excerpt
from whydied.report.summary import Report
from whydied.report.terminal.page_layout import ASIDE, Block, Page
from whydied.report.terminal.sentences import continued

_MORE = "More: "
_COUNT_ROOM = 4
EVIDENCE_LINES = 5
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
    phrase += f" ({' and '.join(asides)}: {claims.command(report, 'show', report.run.id, '--all')})." if asides else "."
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
    _list_block(page, "Led to", claims.consequences(report), keep=1, spare=4)
    _evidence(page, report)
    _to_do(page, report)
    _unknown(page, report)
    if not everything:
        _list_block(page, "Also seen", claims.also_seen(report), keep=1, spare=ASIDE)
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
    block.items.append(page.item(page.text(claims.place(location)), most=2))
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


def _chain(page: Page, shown: Finding | None, report: Report) -> None:
    block = Block("How", keep=2, spare=5)
    for number, link in enumerate(claims.way(shown, report), 1):
        block.items.append(page.item(page.text(f"{number}. {link}"), hanging=3))
    page.block(block)


def _evidence(page: Page, report: Report) -> None:
    block = Block("Evidence", keep=1, spare=2)
    for piece in evidence.all_facts(report, claims.chain(report)) if page.everything else claims.shown_facts(report):
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
    block.items = [page.item(page.text(sentence), most=3) for sentence in claims.remedies(report)]
    page.block(block)


def _unknown(page: Page, report: Report) -> None:
    # Without a cause the second line of the page has already said it.
    if report.undetermined and report.cause:
        _list_block(page, "Unknown", [report.undetermined], keep=1, spare=5)


def _list_block(page: Page, label: str, texts: list[str], *, keep: int, spare: int) -> None:
    block = Block(label, keep=keep, spare=spare)
    block.items = [page.item(page.text(headline.sentence(text))) for text in texts]
    page.block(block)


def _everything(page: Page, report: Report) -> None:
    told = {finding.id for finding in claims.chain(report)}
    others = [finding for finding in report.findings if finding.id not in told]
    page.gap()
    _list_block(page, "Also", [f"{f.code} {f.name}: {f.message}" for f in others], keep=0, spare=0)
    block = Block("Run", keep=0, spare=0)
    block.items = [page.item(page.text(f"{name}: {value}"), hanging=2) for name, value in claims.known_of_run(report)]
    page.block(block)
    _list_block(page, "By line", ledger.lines_of(report.memory), keep=0, spare=0)
    _list_block(page, "By op", ledger.ops_of(report.memory), keep=0, spare=0)
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


def _footer(page: Page, report: Report, everything: bool) -> list[Text]:
    """A command is never broken where it fits a line, and is continued as a shell takes it where it does not; those
    that belong together share a line where they fit."""
    # The count of what was hidden takes the place of the first word later, and may be longer.
    room = page.width - _COUNT_ROOM
    lines: list[str] = []
    for group in (claims.telling(report, everything, room - len(_MORE)), claims.fixing(report)):
        together = " · ".join(group)
        lines += [together] if len(_MORE) + len(together) <= room else group
    indent = " " * len(_MORE)
    shown = [row for line in lines if line for row in continued(line, room - len(_MORE))]
    heads = [_MORE, *[indent] * len(shown)]
    return [page.text(head + line, "dim") for head, line in zip(heads, shown, strict=False)]
