"""`whydied serve`: the runs and their reports in a browser. Runs in the parent."""

from __future__ import annotations

import threading
import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whydied.cli import catalogue, runs_place

if TYPE_CHECKING:
    from whydied.places import RunDirectory

FRESH_S = 2.0
"""The page of a program that runs is made anew after so long."""
MOST_KEPT = 16
REFRESH_S = 5
_DEFAULT_PORT = 8787


@click.command(short_help="Show the runs and their reports in a browser.")
@click.option("--port", type=click.IntRange(0, 65535), default=_DEFAULT_PORT, help="The port; 0 takes any free one.")
@click.option("--open", "opened", is_flag=True, help="Open the browser.")
@runs_place.runs_option
def command(port: int, opened: bool, runs: Path | None) -> int:
    """Show all runs in a browser, and the report of each as a page with charts; the page of a program that runs is
    brought up to date by itself.

    The server answers on this machine alone (127.0.0.1), and only who has the token of the printed address. It
    reads; it changes nothing. Ctrl-C ends it.

    \b
    Examples:
      whydied serve --open
      whydied serve --port 0             any free port
      ssh -L 8787:127.0.0.1:8787 host    first, to read the runs of another machine
    """
    from whydied.serving.loopback_server import serve

    def ready(address: str) -> None:
        click.echo(f"The runs are at {address}\nCtrl-C ends this.")
        if opened and not webbrowser.open(address):
            click.echo("whydied: no browser was found; open the address by hand.", err=True)

    try:
        serve(Runs(runs), port, ready)
    except KeyboardInterrupt:
        click.echo("")
    return 0


class Runs:
    """The runs below a directory, for the server. Pages of finished runs are kept as long as their files stay."""

    def __init__(self, chosen: Path | None) -> None:
        self._chosen = chosen
        self._kept: dict[str, tuple[object, str]] = {}
        self._lock = threading.Lock()

    def index(self) -> str:
        from whydied.report.page.runs_page import runs_page

        rows = [catalogue.row(run) for run in reversed(catalogue.all_runs(self._chosen))]
        return runs_page(rows, refresh_s=REFRESH_S)

    def page(self, run_id: str) -> str | None:
        run = self._run(run_id)
        if run is None:
            return None
        version = _version(run)
        with self._lock:
            known = self._kept.get(run_id)
        if known is not None and known[0] == version:
            return known[1]
        text = _page(run)
        with self._lock:
            self._kept[run_id] = (version, text)
            while len(self._kept) > MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
        return text

    def report(self, run_id: str) -> bytes | None:
        from whydied.report.summary import as_json

        run = self._run(run_id)
        return as_json(catalogue.known(run).report) if run is not None else None

    def _run(self, run_id: str) -> RunDirectory | None:
        return next((run for run in catalogue.all_runs(self._chosen) if run.id == run_id), None)


def _page(run: RunDirectory) -> str:
    from whydied.read.recording import load
    from whydied.report.page.run_page import run_page
    from whydied.report.views.run_views import views_of

    report = catalogue.known(run).report
    running = report.outcome == "running"
    views = views_of(load(run), report)
    return run_page(report, views, live=running, refresh_s=REFRESH_S if running else None, index="/")


def _version(run: RunDirectory) -> object:
    """Another one when the page must be made anew: by the files of a run that is over, by the clock else."""
    try:
        times = [file.stat().st_mtime_ns if file.exists() else 0 for file in (run.report, run.proof)]
    except OSError:
        times = [0]
    return times if times[0] else int(time.monotonic() / FRESH_S)
