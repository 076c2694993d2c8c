"""`whydied top`: a live view of a running program in the terminal. Runs in a process of its own."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from whydied.cli import catalogue, runs_place
from whydied.errors import UsageError


@click.command(short_help="Watch a running program: memory, steps, loss, findings.")
@click.argument("wanted", metavar="[RUN]", required=False)
@runs_place.runs_option
def command(wanted: str | None, runs: Path | None) -> None:
    """Watch a program that runs under whydied: its memory with its trend and the time to the limit, its steps, loss and
    gradient norm, who holds most, its processes, and findings as they come.

    RUN is an id or part of one, a name, or the pid of the program or of the whydied that runs it; by default the newest
    run that is going. Keys: q quits, p pauses the view, c takes a census, h helps. The program does not notice.

    \b
    Examples:
      whydied top                        the newest running program
      whydied top nightly                the run that was named "nightly"
      whydied top 12345                  the program with this pid
      whydied top ab12cd                 also a run that has ended: how, and why
    """
    if find_spec("textual") is None:
        raise UsageError(
            "whydied top needs the package textual, which is not installed here", 'pip install "whydied[top]"'
        )
    directory = catalogue.going(wanted, runs)
    if not (sys.stdout.isatty() and sys.stdin.isatty()) or os.environ.get("TERM", "dumb") == "dumb":
        raise UsageError(
            "whydied top needs a terminal that can be drawn on", f"`whydied show {directory.id}` tells what is known"
        )
    from whydied.screen.app import TopApp

    app = TopApp(directory)
    app.run()
    if app.failure is not None:
        raise app.failure
