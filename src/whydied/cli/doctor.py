"""`whydied doctor`: what this machine lets us see, and what each missing thing costs. Runs in the parent."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whydied.cli import catalogue

if TYPE_CHECKING:
    from whydied.doctor.machine import Check

_MARKS = {"ok": ("ok", "green"), "missing": ("--", "yellow"), "broken": ("!!", "bold red")}


@click.command(short_help="Say what this machine lets us see.")
@click.option("--json", "as_json", is_flag=True, help="Print the answers as JSON.")
@catalogue.runs_option
@click.pass_context
def command(ctx: click.Context, as_json: bool, runs: Path | None) -> None:
    """Look at this machine: versions, limits, permissions, and where runs are kept.

    For each thing that is missing it says what that costs in a diagnosis, and how to mend it. The exit
    status is 1 if whydied cannot do its work here, and 0 if only some evidence will be missing.

    \b
    Examples:
      whydied doctor
      whydied doctor --json | jq '.checks[] | select(.status != "ok")'
    """
    from whydied.doctor.examination import examine
    from whydied.doctor.machine import Machine

    checks = examine(Machine(runs=catalogue.runs_places(runs)[0].absolute()))
    if as_json:
        click.echo(_json(checks))
    else:
        _print(checks)
    ctx.exit(1 if any(check.status == "broken" for check in checks) else 0)


def _print(checks: Sequence[Check]) -> None:
    from rich.table import Table
    from rich.text import Text

    from whydied import words
    from whydied.report import plain
    from whydied.report.console import console_on, write

    console = console_on(sys.stdout)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for check in checks:
        mark, style = _MARKS[check.status]
        lines = [check.found]
        lines += [f"costs: {check.cost}"] if check.cost else []
        lines += [f"mend:  {check.mend}"] if check.mend else []
        phrase = plain.spelled("\n".join(plain.line(line) for line in lines), console.encoding or "ascii")
        table.add_row(Text(mark, style), Text(check.name), Text(phrase))
    missing = sum(check.status == "missing" for check in checks)
    broken = sum(check.status == "broken" for check in checks)
    ending = "Everything is there."
    if missing or broken:
        ending = f"{words.count(missing, 'thing')} missing (--), {words.count(broken, 'thing')} broken (!!)."
    write([table, Text(ending, "bold")], console)


def _json(checks: Sequence[Check]) -> str:
    import json

    ok = all(check.status != "broken" for check in checks)
    return json.dumps({"schema": 1, "ok": ok, "checks": [check._asdict() for check in checks]}, indent=2)
