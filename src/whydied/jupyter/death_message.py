"""What is said about a kernel that died, in HTML and in text. Runs in the supervisor; reads source files, no more."""

from __future__ import annotations

import html
import signal
import time
from typing import NamedTuple

from whydied.report import cell
from whydied.report.summary import Report
from whydied.report.views.run_views import Views
from whydied.run.supervise import RunOutcome

LOOP_DEATHS = 3
"""So many deaths in a short time are a loop of restarts."""
_ASIDE = "border-left:4px solid #b58900;padding:4px 10px;margin:4px 0"


class Said(NamedTuple):
    """The report in two forms."""

    html: str
    text: str


def remark(deaths: int, *, ran_cells: bool) -> str:
    """What is worth saying about this death among others; empty where nothing is."""
    told = ""
    if not ran_cells:
        told = "The kernel died during startup, before it ran a cell."
    if deaths >= LOOP_DEATHS:
        often = f"This is death number {deaths} within a minute: restarting will not help by itself."
        return f"{told} {often}" if told else often
    return told


def said(report: Report | None, outcome: RunOutcome, remark: str, error: str = "", views: Views | None = None) -> Said:
    """The report with its remark and pictures; where there is no report (yet, or for an error of ours), what the wait
    status tells."""
    if report is None:
        line = f"The notebook's kernel {_status(outcome)}."
        command = f"whydied show {outcome.directory.id} --runs {outcome.directory.path.parent}"
        why = (
            f"The diagnosis failed ({error}); to try again:" if error else "The diagnosis is taking longer; to see it:"
        )
        text = f"{line}\n{remark}\n{why} {command}\n".replace("\n\n", "\n")
        body = f"<div><b>{html.escape(line)}</b> {html.escape(why)} <code>{html.escape(command)}</code></div>"
        return Said(_aside(remark) + body, text)
    text = cell.as_text(report)
    return Said(_aside(remark) + cell.as_html(report, views), f"{remark}\n{text}" if remark else text)


def for_next_kernel(told: Said) -> Said:
    """The same for the next kernel of the notebook."""
    at = time.strftime("%Y-%m-%d %H:%M:%S")
    head = f"An earlier kernel of this notebook died at {at}, when no cell could show why."
    return Said(_aside(head) + told.html, f"{head}\n{told.text}")


def _aside(words: str) -> str:
    return f'<div style="{_ASIDE}">{html.escape(words)}</div>' if words else ""


def _status(outcome: RunOutcome) -> str:
    if outcome.signal is None:
        return f"ended with exit status {outcome.exit_status}"
    try:
        return f"was ended by {signal.Signals(outcome.signal).name}"
    except ValueError:
        return f"was ended by signal {outcome.signal}"
