"""The report as an output of a notebook's cell: HTML, and text for clients that show none. Runs in the kernel's
supervisor after the kernel's death, and in a kernel that shows an earlier report. Pure but for reading source files.

Invariant: everything recorded is escaped; there is no script, no style sheet and no address, so the page around
it is left alone and a notebook that is sent on loads nothing; colours are half transparent, so that it reads in light
and dark themes, on paper, and without any colour; no line is wider than the cell.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterable

from rich.console import Console

from whydied.diagnose.finding import Location
from whydied.report import headline, plain, sentences, telling_facts
from whydied.report.excerpt import excerpt
from whydied.report.sketches import sketches
from whydied.report.summary import Report
from whydied.report.terminal import console
from whydied.report.views.run_views import Views

_TEXT_WIDTH = 100
_SHOWN_FACTS = 4
_CODE = re.compile(r"`([^`]+)`")
# Grey that is half transparent stands out a little from a white page as from a black one.
_FAINT, _LINE, _MARK, _DEATH, _CALM = (
    "rgba(128,128,128,.12)",
    "rgba(128,128,128,.45)",
    "rgba(255,167,38,.28)",
    "#d64545",
    "#b58900",
)
_MONO = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
_FRAME = (
    f"border:1px solid {_LINE};border-left:4px solid {{}};border-radius:3px;padding:10px 14px;margin:4px 0;"
    "max-width:880px;box-sizing:border-box;line-height:1.45;overflow-wrap:anywhere;text-align:left"
)
_SOURCE = f"{_MONO};font-size:.92em;background:{_FAINT};border-radius:3px;padding:5px 0;margin:4px 0 0"
_ROW = "white-space:pre-wrap;word-break:break-all;padding:0 10px 0 5.5em;text-indent:-4.7em"
_LABEL = "font-weight:600;margin-top:10px"
_LIST = "margin:2px 0 0;padding-left:1.4em"
_COMMAND = (
    f"{_MONO};font-size:.92em;background:{_FAINT};border-radius:3px;padding:4px 10px;margin:4px 0 0;"
    "white-space:pre-wrap;user-select:all"
)
_INLINE = f"{_MONO};font-size:.95em;background:{_FAINT};border-radius:3px;padding:0 3px"
_ASIDE = "opacity:.75;font-size:.92em"


def as_html(report: Report, views: Views | None = None) -> str:
    """The report as one element that stands for itself: the cause first, then the line, the evidence and what to do;
    with `views` also its pictures, folded."""
    about = report.cause or report.death
    parts = [_div(_spoken(happened(report)), "font-weight:600")]
    reason = headline.why(report)
    if reason:
        parts.append(_div(_spoken(headline.brief(reason, report)), "margin-top:4px"))
    if about and about.location:
        parts.append(_where(about.location))
    parts.append(_listed("How", [_spoken(headline.brief(link, report)) for link in sentences.way(about, report)], "ol"))
    parts.append(_listed("Led to", [_spoken(headline.brief(text, report)) for text in sentences.consequences(report)]))
    parts.append(_evidence(report))
    parts.append(_listed("What to do", [_spoken(headline.brief(text, report)) for text in sentences.remedies(report)]))
    parts.append(_pictures(views))
    parts.append(_unknown(report))
    parts.append(_listed("Also seen", [_spoken(text) for text in sentences.also_seen(report)]))
    parts.append(_commands(report))
    accent = _CALM if report.outcome in ("finished", "stopped", "running") else _DEATH
    style = _FRAME.format(accent)
    return f'<div class="whydied-report" role="region" aria-label="whydied" style="{style}">{"".join(parts)}</div>'


def as_text(report: Report) -> str:
    """The report as the console shows it, without colour."""
    file = io.StringIO()
    console.render(report, console=Console(file=file, width=_TEXT_WIDTH, color_system=None, highlight=False))
    text = file.getvalue()
    return f"T{text[1:]}" if text.startswith("the ") else text


def happened(report: Report) -> str:
    """What happened, in words that do not take the notebook's kernel for the operating system's."""
    if headline.is_cell(report):
        return f"C{headline.happened(report)[1:]}"
    phrase = headline.happened(report).removeprefix(headline.program(report))
    return "The notebook's kernel" + phrase.replace("by the kernel", "by the operating system")


def _where(location: Location) -> str:
    rows = []
    for line in excerpt(location):
        mark = f"{'>' if line.marked else ' '}{line.number:>4} | "
        style = f"{_ROW};background:{_MARK};font-weight:600" if line.marked else f"{_ROW};opacity:.8"
        rows.append(_div(html.escape(mark + line.text), style))
    return _label("Where") + _div(_spoken(sentences.place(location))) + (_div("".join(rows), _SOURCE) if rows else "")


def _evidence(report: Report) -> str:
    items = [_spoken(headline.brief(telling_facts.stated(piece), report)) for piece in sentences.shown_facts(report)]
    shown, rest = items[:_SHOWN_FACTS], items[_SHOWN_FACTS:]
    if len(rest) == 1:
        shown, rest = items, []
    more = ""
    if rest:
        summary = f'<summary style="cursor:pointer;{_ASIDE}">{len(rest)} more</summary>'
        more = f'<details style="margin-top:2px">{summary}{_items(rest)}</details>'
    return _listed("Evidence", shown) + more


def _pictures(views: Views | None) -> str:
    shown = sketches(views) if views is not None else []
    if not shown:
        return ""
    summary = f'<summary style="cursor:pointer;{_LABEL}">Pictures</summary>'
    drawn = "".join(f'<div style="{_ASIDE};margin-top:8px">{html.escape(title)}</div>{one}' for title, one in shown)
    return f"<details>{summary}{drawn}</details>"


def _unknown(report: Report) -> str:
    if not report.undetermined or not report.cause:
        return ""
    return _listed("Unknown", [_spoken(headline.sentence(report.undetermined))])


def _commands(report: Report) -> str:
    rows = "".join(_div(html.escape(command), _COMMAND) for command in sentences.commands(report))
    return _label("More, in a terminal") + rows


def _label(words: str) -> str:
    return _div(html.escape(words), _LABEL)


def _listed(label: str, items: list[str], kind: str = "ul") -> str:
    return _label(label) + _items(items, kind) if items else ""


def _items(items: Iterable[str], kind: str = "ul") -> str:
    rows = "".join(f'<li style="margin:0">{item}</li>' for item in items)
    return f'<{kind} style="{_LIST}">{rows}</{kind}>'


def _div(content: str, style: str = "") -> str:
    return f'<div style="{style}">{content}</div>' if style else f"<div>{content}</div>"


def _spoken(text: str) -> str:
    """Escaped text, with what stands between backticks set as code."""
    return _CODE.sub(rf'<code style="{_INLINE}">\1</code>', html.escape(plain.line(text)))
