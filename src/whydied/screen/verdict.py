"""How a run ended, for the view: its report, once there is one. Runs in the process of `whydied top`.

The supervisor makes the report after the program's end. Where it died too, `whydied show` makes it, in a process of its
own: it may replay a step, which takes signals and the main thread.
"""

from __future__ import annotations

import io
import subprocess
import sys

from rich.console import Console
from rich.text import Text

from whydied.places import RunDirectory
from whydied.read import life
from whydied.records import RunStarted
from whydied.report.finish import stored_report
from whydied.report.summary import Report
from whydied.report.terminal.console import is_healthy
from whydied.report.terminal.pages import death_page, healthy_page

_PATIENCE_S = 180


def verdict(directory: RunDirectory, started: RunStarted | None) -> Report | None:
    """The report of a run that is over; None while its supervisor is at work on it. May take a while."""
    found = stored_report(directory)
    if found is not None or (started is not None and life.is_supervised(started)):
        return found
    command = [sys.executable, "-m", "whydied", "show", directory.id, "--json", "--runs", str(directory.path.parent)]
    try:
        subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return stored_report(directory)


def page(report: Report, width: int) -> Text:
    """What `whydied show` prints."""
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False)
    if is_healthy(report):
        return Text("\n").join(healthy_page(report, console).lines())
    return Text("\n").join(death_page(report, console, everything=False).lines())
