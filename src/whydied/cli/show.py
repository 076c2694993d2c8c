"""`whydied show`: the report of a run, finished now if nobody could finish it then. Runs in the parent."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from whydied.cli import catalogue, page_file, runs_place
from whydied.errors import UsageError
from whydied.places import RunDirectory
from whydied.report.summary import Report

_FORMATS = ("text", "json", "markdown", "github")


@click.command(
    short_help="Show the report of a run.",
    epilog="RUN is an id or part of one, a name given with 'run --name', or the path of a run's directory.",
)
@click.argument("wanted", metavar="[RUN]", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    help="How to print: text, json (schema 1), markdown for an issue or a chat, github for a job.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--all", "everything", is_flag=True, help="Print everything, not just one screen.")
@page_file.html_option
@page_file.open_option
@click.option(
    "--logdir",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write curves, graph and findings to DIR for TensorBoard instead.",
)
@runs_place.runs_option
def command(
    wanted: str | None,
    form: str | None,
    as_json: bool,
    everything: bool,
    html: str | None,
    opened: bool,
    logdir: Path | None,
    runs: Path | None,
) -> None:
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
      whydied show --html --open         a page with charts, one file that works offline
      whydied show nightly --html report.html
      whydied show --format markdown     to paste into an issue or a chat
      whydied show --format github       annotations and a summary, in a job of GitHub Actions
      whydied show --logdir logs         its memory and findings, for TensorBoard
    """
    if as_json and form not in (None, "json"):
        raise UsageError(f"--json and --format {form} are two formats", "give one of them")
    if html is None and opened:
        raise UsageError("--open opens a page, and none is written", "add --html")
    directory = catalogue.find(wanted, runs)
    seen = catalogue.known(directory)
    if html is not None:
        _to_page(directory, seen.report, html, opened)
    elif logdir is not None:
        _to_tensorboard(directory, seen, logdir)
    elif as_json or form not in (None, "text"):
        _print("json" if as_json else form, seen.report)
    else:
        _to_terminal(seen, everything)
        return
    if seen.remark:
        click.echo(f"whydied: {seen.remark}", err=True)


def _to_page(directory: RunDirectory, report: Report, html: str, opened: bool) -> None:
    from whydied.read.recording import load
    from whydied.report.page.run_page import run_page
    from whydied.report.views.run_views import views_of

    text = run_page(report, views_of(load(directory), report), live=report.outcome == "running")
    page_file.deliver(text, html, directory.path / "report.html", opened=opened)


def _print(form: str | None, report: Report) -> None:
    if form == "json":
        from whydied.report import summary

        click.echo(summary.as_json(report), nl=False)
    elif form == "markdown":
        from whydied.report.markdown.document import report_document

        # Not in the encoding of a terminal: it is read by programs that expect UTF-8.
        click.echo(report_document(report).encode("utf-8"), nl=False)
    else:
        from whydied.report.delivery import to_github

        to_github(report, lambda line: click.echo(line.encode("utf-8")))


def _to_terminal(seen: catalogue.Known, everything: bool) -> None:
    from whydied.report.terminal import console

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
    click.echo(f"Wrote {written.file}")
    if written.unwatched:
        click.echo("No histograms: the run watched no tensor (`whydied run --watch GLOB`).", err=True)
    click.echo(f"See it with: tensorboard --logdir {shlex.quote(str(logdir))}")
