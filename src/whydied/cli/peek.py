"""`whydied peek`: what a running program holds in memory, and who holds it. Runs in a process of its own.

It asks by a file in the run's directory, and the recorder inside the program answers with a census in the recording.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whydied import places, words
from whydied.cli import catalogue, runs_place
from whydied.errors import RunNotFound, WhydiedError
from whydied.places import RunDirectory
from whydied.read import life
from whydied.report.patience import patience
from whydied.report.terminal.sentences import put_json, say

if TYPE_CHECKING:
    from whydied.records import CensusTaken, ObjectGroup

PATIENCE_S = 15.0
_LOOK_S = 0.1
_MOST_GROUPS = 12


@click.command(short_help="Show what a running program holds in memory.")
@click.argument("wanted", metavar="PROCESS")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON instead.")
@runs_place.runs_option
def command(wanted: str, as_json: bool, runs: Path | None) -> None:
    """Show what a program running under whydied holds in memory, by variable.

    PROCESS is the pid of the program or of the whydied that runs it, or the run's id or name. The program is paused
    meanwhile, for well under a second.

    \b
    Examples:
      whydied peek 12345                 the process that `ps` shows as python train.py
      whydied peek train --json          the run whose id or name has this in it
    """
    import msgspec

    directory, pid = _process(wanted, runs)
    census = _ask(directory, pid)
    if as_json:
        put_json(msgspec.json.format(msgspec.json.encode(census), indent=2))
        return
    held, known = words.size(census.rss_bytes), words.size(census.python_bytes)
    say(f"process {pid} holds {held}, of which {known} is tensors, arrays and Python objects:")
    for group in census.groups[:_MOST_GROUPS]:
        say(f"  {words.size(group.size_bytes):>10}  {_line(group)}", hanging=12)


def _process(wanted: str, runs: Path | None) -> tuple[RunDirectory, int]:
    if not wanted.isdigit():
        directory = catalogue.find(wanted, runs)
        pids = [pid for pid in catalogue.recorded_pids(directory) if _is_alive(pid)]
        if pids:
            return directory, pids[0]
        raise RunNotFound(f"no process of {directory.id} is running", "`whydied runs` says which runs are going")
    given = int(wanted)
    for directory in reversed(catalogue.all_runs(runs)):
        recorded = catalogue.recorded_pids(directory)
        started = life.beginning(directory).started
        if started is not None and started.supervisor_pid == given:
            recorded = [pid for pid in recorded if pid != given]
        elif given in recorded:
            recorded = [given]
        else:
            continue
        if pids := [pid for pid in recorded if _is_alive(pid)]:
            return directory, pids[0]
    raise RunNotFound(
        f"process {given} is not being recorded",
        "start the program with `whydied run`, and give its pid or the run's id, which `whydied runs` lists",
    )


def _is_alive(pid: int) -> bool:
    import psutil

    return bool(psutil.pid_exists(pid))


def _ask(directory: RunDirectory, pid: int) -> CensusTaken:
    from whydied.read.tail import Tail
    from whydied.records import CensusTaken

    tail = Tail(directory.streams)
    asked_at = time.monotonic()
    request = places.peek_request(directory, pid)
    request.touch(mode=0o600)
    answers: list[CensusTaken] = []
    with patience("waiting for the program to answer"):
        while time.monotonic() - asked_at < PATIENCE_S and _is_alive(pid):
            for heard in tail.fresh():
                record = heard.record
                if heard.pid == pid and isinstance(record, CensusTaken) and heard.at_ns / 1e9 >= asked_at:
                    answers += [record] if record.trigger == "peek" else []
            if answers and (answers[-1].complete or not request.exists()):
                return answers[-1]
            time.sleep(_LOOK_S)
    request.unlink(missing_ok=True)
    raise WhydiedError(
        f"process {pid} did not answer within {PATIENCE_S:.0f} s",
        "it may be in a long native call, or it has no recorder inside",
    )


def _line(group: ObjectGroup) -> str:
    form = f" of shape {group.shape}" if group.shape is not None else ""
    dtype = f" {group.dtype}" if group.dtype else ""
    held = ", ".join(f"`{holder.path}`" for holder in group.holders[:2])
    return f"{group.count:,} x {group.type.rpartition('.')[2]}{form}{dtype}" + (f", held by {held}" if held else "")
