"""`whydied runs`: the recorded runs as a table, and their retention. Runs in the parent.

A run that is still going, or that might be, is never removed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click

from whydied import config, words
from whydied.cli import catalogue, runs_place
from whydied.report import plain, sizes
from whydied.report.keeping.retention import Pruned, prune
from whydied.report.patience import patience
from whydied.report.terminal.sentences import put_json, say


@click.command(short_help="List the recorded runs.")
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
@click.option("--prune", "do_prune", is_flag=True, help="Remove old runs first.")
@click.option(
    "--keep-days",
    type=click.FloatRange(min=0),
    metavar="N",
    help="With --prune: keep runs younger than N days.",
)
@click.option(
    "--keep-bytes", metavar="SIZE", help="With --prune: keep the newest runs up to this total size, such as 2G."
)
@runs_place.runs_option
def command(as_json: bool, do_prune: bool, keep_days: float | None, keep_bytes: str | None, runs: Path | None) -> None:
    """List the recorded runs, the newest last.

    With --prune, first remove runs older than --keep-days (default 30), then the oldest until the rest fits into
    --keep-bytes (default 2G). [tool.whydied] in pyproject.toml can change both defaults. A run that is still going
    is never removed.

    \b
    Examples:
      whydied runs                                 all runs with outcome and size
      whydied runs --prune                         remove old ones
      whydied runs --prune --keep-days 7           keep one week
      whydied runs --prune --keep-bytes 500M       keep the newest 500 MiB
      whydied runs --json | jq '.runs[].cause'
    """
    if not do_prune and (keep_days is not None or keep_bytes is not None):
        raise click.UsageError("--keep-days and --keep-bytes need --prune.")
    if do_prune:
        settings = config.of_working_directory()
        days = settings.keep_days if keep_days is None else keep_days
        largest = settings.keep_bytes if keep_bytes is None else config.parse_bytes(keep_bytes)
        with patience("removing old runs"):
            pruned = prune(catalogue.all_runs(runs), keep_days=days, keep_bytes=largest)
        _tell(pruned, to_stderr=as_json)
    rows = catalogue.rows(runs)
    if as_json:
        put_json(_json(rows))
    elif rows:
        _table(rows)
    elif not do_prune:
        shown = " or ".join(str(place) for place in runs_place.runs_places(runs))
        say(f"No runs in {shown}.")


def _tell(pruned: Pruned, *, to_stderr: bool) -> None:
    for directory in pruned.removed:
        say(f"removed {directory.id}", err=to_stderr)
    freed = f", {words.size(pruned.freed_bytes)} freed" if pruned.removed else ""
    say(f"{words.count(len(pruned.removed), 'run')} removed{freed}.", err=to_stderr)
    for sentence in pruned.failed:
        say(f"whydied: {sentence}", err=True)


def _table(rows: Sequence[catalogue.Row]) -> None:
    from rich.text import Text

    from whydied.report.terminal.console import listed
    from whydied.report.terminal.listing import Column, Listing

    columns = [
        Column("run", whole=True, lead=True),
        Column("name", brief=True, spare=1, least=12),
        Column("when", whole=True, brief=True),
        Column("outcome", whole=True, brief=True),
        Column("cause", least=20),
        Column("took", whole=True, right=True, brief=True, spare=2),
        Column("size", whole=True, right=True, brief=True, spare=3),
    ]
    now = time.time()
    cells = []
    for row in rows:
        took = words.duration(row.wall_s) if row.wall_s is not None else ""
        texts = [row.directory.id, row.name or "", sizes.age(now - row.started_s), row.state, row.cause]
        texts += [took, words.size(row.size_bytes)]
        style = {"died": "red", "failed": "red", "hung": "red", "going": "green"}.get(row.state, "")
        cells.append([Text(plain.line(text), style if text == row.state else "") for text in texts])
    if not any(row.name for row in rows):
        columns, cells = [columns[0], *columns[2:]], [[line[0], *line[2:]] for line in cells]
    listed(Listing(columns, cells), sys.stdout)


def _json(rows: Sequence[catalogue.Row]) -> str:
    import json

    described = [
        {
            "id": row.directory.id,
            "name": row.name,
            "directory": str(row.directory.path),
            "started_s": row.started_s,
            "outcome": row.state,
            "cause": row.cause.split(" ")[0] if row.cause else None,
            "cause_name": row.cause.partition(" ")[2] or None,
            "wall_s": row.wall_s,
            "size_bytes": row.size_bytes,
        }
        for row in rows
    ]
    return json.dumps({"schema": 1, "runs": described}, indent=2)
