"""Finds runs, says in a row what each was, and what is known of one now. Runs in the parent; reads reports and
recordings, and changes nothing but that it finishes a report that nobody could."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from whydied import config, places
from whydied.cli.runs_place import runs_places
from whydied.errors import RunNotFound, UsageError
from whydied.places import RunDirectory
from whydied.read import life
from whydied.report.finish import finish, stored_report
from whydied.report.keeping.retention import size_bytes, started_s
from whydied.report.patience import patience
from whydied.report.summary import Report

_SHOWN_MATCHES = 5
_SECOND = 15
"""So many characters of an id are the time."""


class Row(NamedTuple):
    """A run at a glance. `state` is its outcome, or "going", or "unfinished" where no report was written
    yet."""

    directory: RunDirectory
    name: str | None
    started_s: float
    state: str
    cause: str
    wall_s: float | None
    size_bytes: int


def all_runs(chosen: Path | None) -> list[RunDirectory]:
    """The newest last. An id tells the second; of runs that share one the recordings tell which came first."""
    found = [run for place in runs_places(chosen) for run in places.list_runs(place)]
    seconds = Counter(run.id[:_SECOND] for run in found)
    return sorted(found, key=lambda run: (run.id[:_SECOND], _began_s(run) if seconds[run.id[:_SECOND]] > 1 else 0.0))


def _began_s(directory: RunDirectory) -> float:
    started = life.beginning(directory).started
    return started.wall_time_s if started is not None else 0.0


def find(wanted: str | None, chosen: Path | None) -> RunDirectory:
    """A run by its id, a part of it, its `--name` or its path; the newest when nothing is said."""
    if wanted is not None and (os.sep in wanted or wanted in (".", "..")):
        return _at_path(Path(wanted))
    runs = all_runs(chosen)
    if wanted is None:
        if runs:
            return runs[-1]
        raise RunNotFound(f"there are no runs in {_named(chosen)}", _hint_for_none(chosen))
    for match in (
        [run for run in runs if run.id == wanted],
        _by_name(runs, wanted)[-1:],
        [run for run in runs if run.id.startswith(wanted)],
        [run for run in runs if wanted in run.id],
    ):
        if len(match) == 1:
            return match[0]
        if match:
            shown = ", ".join(run.id for run in match[-_SHOWN_MATCHES:])
            raise RunNotFound(f"{wanted!r} matches {len(match)} runs: {shown}", "give more of the id")
    if os.path.isdir(wanted):
        return _at_path(Path(wanted))
    raise RunNotFound(
        f"no run {wanted!r} in {_named(chosen)}",
        "`whydied runs` lists them" if runs else _hint_for_none(chosen),
    )


def going(wanted: str | None, chosen: Path | None) -> RunDirectory:
    """A run by the pid of one of its processes or of its supervisor, or as `find` does; the newest that is going, else
    the newest, when nothing is said."""
    runs = all_runs(chosen)
    if wanted is None:
        return next((run for run in reversed(runs) if life.life(run) == "going"), None) or find(None, chosen)
    if wanted.isdigit():
        for run in reversed(runs):
            started = life.beginning(run).started
            if int(wanted) in recorded_pids(run) or (started is not None and started.supervisor_pid == int(wanted)):
                return run
    return find(wanted, chosen)


def recorded_pids(directory: RunDirectory) -> list[int]:
    """The processes that have a recorder inside, the first one first."""
    names = sorted(directory.streams.glob("process-*"), key=lambda path: path.name.split(".")[0].split("-")[2])
    return list(dict.fromkeys(int(path.name.split("-")[1]) for path in names))


class Known(NamedTuple):
    report: Report
    remark: str | None


def known(directory: RunDirectory) -> Known:
    """The report of a run; of one whose supervisor died too, finished now and stored."""
    stored = stored_report(directory)
    if stored is not None and not os.path.isdir(directory.streams):
        return Known(stored, None)
    state = life.life(directory)
    with patience("making the report from the recording"):
        report = finish(directory, silence=config.of_working_directory().silence)
    if state == "going":
        return Known(report, f"run {directory.id} is still running; this is what is known so far.")
    if state == "abandoned" and stored is None:
        return Known(
            report,
            f"nobody lived to finish the report of run {directory.id} (its supervisor died too); "
            "it was finished now from the recording.",
        )
    return Known(report, None)


def rows(chosen: Path | None) -> list[Row]:
    """All runs, the newest last."""
    directories = all_runs(chosen)
    found = []
    with patience("looking at the runs") as shown:
        for number, directory in enumerate(directories):
            shown.tells(f"looking at run {number + 1:,} of {len(directories):,}")
            found.append(row(directory))
    return found


def row(directory: RunDirectory) -> Row:
    report = stored_report(directory)
    state = life.life(directory)
    name = report.run.name if report else None
    if report is None:
        started = life.beginning(directory).started
        name = started.name if started else None
    finding = (report.cause or report.death) if report else None
    return Row(
        directory=directory,
        name=name,
        started_s=started_s(directory),
        state="going" if state == "going" else report.outcome if report else "unfinished",
        cause=f"{finding.code} {finding.name}" if finding else "",
        wall_s=report.run.wall_s if report else None,
        size_bytes=size_bytes(directory.path),
    )


def _at_path(path: Path) -> RunDirectory:
    absolute = path.absolute()
    if os.path.isdir(absolute / "streams") or os.path.isfile(absolute / "report.json"):
        return RunDirectory(absolute)
    if os.path.isfile(absolute):
        raise UsageError(f"{path} is a file, not a run", "unpack an exported archive first, then name its directory")
    raise RunNotFound(f"{path} is not the directory of a run", "`whydied runs` lists the runs")


def _by_name(runs: Sequence[RunDirectory], wanted: str) -> list[RunDirectory]:
    named = []
    for run in runs:
        started = life.beginning(run).started
        if started is not None and started.name == wanted:
            named.append(run)
    return named


def _named(chosen: Path | None) -> str:
    return " or ".join(str(place) for place in runs_places(chosen))


def _hint_for_none(chosen: Path | None) -> str:
    return "record one with `whydied run script.py`" if chosen is None else "check the directory given with --runs"
