"""`whydied show`: the report of a run, finished now if nobody could finish it then. Runs in the parent."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from whydied.cli import catalogue, runs_place
from whydied.report.terminal.sentences import put_json, say


@click.command(
    short_help="Show the report of a run.",
    epilog="RUN is an id or part of one, a name given with 'run --name', or the path of a run's directory.",
)
@click.argument("wanted", metavar="[RUN]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON (schema 1) instead.")
@click.option("--all", "everything", is_flag=True, help="Print everything, not just one screen.")
@runs_place.runs_option
def command(wanted: str | None, as_json: bool, everything: bool, runs: Path | None) -> None:
    """Show the report of a run, the newest one by default.

    If nobody could finish the report (the supervisor, the container or the machine went down too), it is
    finished now,
    from what the recording holds.

    \b
    Examples:
      whydied show                       the newest run
      whydied show --all                 with all evidence, notes and findings
      whydied show ab12cd                the run whose id holds "ab12cd"
      whydied show nightly               the newest run that was named "nightly"
      whydied show ./unpacked/20250110-101010-train-py-ab12cd
      whydied show --json | jq .cause.message
    """
    from whydied.report import summary
    from whydied.report.terminal import console

    seen = catalogue.known(catalogue.find(wanted, runs))
    if as_json:
        put_json(summary.as_json(seen.report))
        if seen.remark:
            say(f"whydied: {seen.remark}", err=True)
        return
    if seen.remark:
        say(f"whydied: {seen.remark}")
    console.render(
        seen.report,
        everything=everything or console.is_healthy(seen.report),
        console=console.console_on(sys.stdout),
    )
