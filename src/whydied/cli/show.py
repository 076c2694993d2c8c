"""`whydied show`: the report of a run, finished now if nobody could finish it then. Runs in the parent."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from whydied.cli import catalogue, runs_place
from whydied.places import RunDirectory


@click.command(
    short_help="Show the report of a run.",
    epilog="RUN is an id or part of one, a name given with 'run --name', or the path of a run's directory.",
)
@click.argument("wanted", metavar="[RUN]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON (schema 1) instead.")
@click.option("--all", "everything", is_flag=True, help="Print everything, not just one screen.")
@click.option(
    "--logdir",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write curves, graph and findings to DIR for TensorBoard instead.",
)
@runs_place.runs_option
def command(wanted: str | None, as_json: bool, everything: bool, logdir: Path | None, runs: Path | None) -> None:
    """Show the report of a run, the newest one by default.

    If nobody could finish the report (the supervisor, the container or the machine went down too), it is
    finished now, from what the recording holds.

    \b
    Examples:
      whydied show                       the newest run
      whydied show --all                 with all evidence, notes and findings
      whydied show ab12cd                the run whose id holds "ab12cd"
      whydied show nightly               the newest run that was named "nightly"
      whydied show ./unpacked/20250110-101010-train-py-ab12cd
      whydied show --json | jq .cause.message
      whydied show --logdir logs         its memory and findings, for TensorBoard
    """
    from whydied.report import summary
    from whydied.report.terminal import console

    directory = catalogue.find(wanted, runs)
    seen = catalogue.known(directory)
    if logdir is not None:
        _to_tensorboard(directory, seen, logdir)
        return
    if as_json:
        click.echo(summary.as_json(seen.report).decode("utf-8"), nl=False)
        if seen.remark:
            click.echo(f"whydied: {seen.remark}", err=True)
        return
    if seen.remark:
        click.echo(f"whydied: {seen.remark}")
    console.render(
        seen.report,
        everything=everything or console.is_healthy(seen.report),
        console=console.console_on(sys.stdout),
    )


def _to_tensorboard(directory: RunDirectory, seen: catalogue.Known, logdir: Path) -> None:
    from whydied.report.tensorboard.logdir import write

    written = write(directory, seen.report, logdir)
    if seen.remark:
        click.echo(f"whydied: {seen.remark}", err=True)
    click.echo(f"Wrote {written.file}")
    if written.unwatched:
        click.echo("No histograms: the run watched no tensor (`whydied run --watch GLOB`).", err=True)
    click.echo(f"See it with: tensorboard --logdir {shlex.quote(str(logdir))}")
