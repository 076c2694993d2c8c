"""Looks around for a run whose supervisor could not finish it: is the machine the same, what do its counters say now?

Runs in the later command that finishes the report. Every look may fail, and then says nothing.
"""

from __future__ import annotations

import socket
import subprocess

from whydied.linux import proc
from whydied.linux.cgroup import ControlGroup
from whydied.places import RunDirectory
from whydied.read.life import boot_id, life
from whydied.read.recording import Aftermath, Recording
from whydied.records import CrashSeen, OomCounted, RunStarted
from whydied.run.observe import kernel_log
from whydied.run.observe.crashes import crashes_in
from whydied.texts import kernel_lines as kernel_texts

_PATIENCE_S = 2.0
_PREVIOUS_LINES = 200
_START_SLACK_S = 10.0


def look_around(directory: RunDirectory, bare: Recording) -> Aftermath:
    """What can still be found out. `bare` is the recording as far as it goes."""
    now, state = boot_id(), life(directory)
    started = bare.started
    alive = state == "going"
    if bare.ended is not None or started is None:
        return Aftermath(boot_id=now, supervisor_alive=alive)
    here = not started.hostname or started.hostname == socket.gethostname()
    if not here:
        return Aftermath(boot_id=now, supervisor_alive=alive, same_machine=False)
    if started.boot_id != now:
        return Aftermath(boot_id=now, supervisor_alive=alive, kernel_lines=_previous_boot(started.boot_id))
    return Aftermath(
        boot_id=now,
        supervisor_alive=alive,
        program_alive=_program_alive(bare, started),
        oom_kills=_counters_now(bare),
        kernel_lines=kernel_log.past_lines(bare.pids, _first_ns(bare) // 1000),
        # As long as the supervisor lives they are its own to read.
        crashes=[] if alive else [seen for seen in crashes_in(directory.faults) if isinstance(seen, CrashSeen)],
    )


def _program_alive(bare: Recording, started: RunStarted) -> bool:
    """Whether the program goes on without its supervisor. A number that was given out again is another program's."""
    import psutil

    try:
        process = psutil.Process(bare.program.pid) if bare.program else None
        began = process.create_time() if process else 0.0
        return (
            process is not None and abs(began - started.wall_time_s) < _START_SLACK_S and process.status() != "zombie"
        )
    except psutil.Error:
        return False


def _first_ns(bare: Recording) -> int:
    return min((stream.entries[0].at_ns for stream in bare.streams if stream.entries), default=0)


def _counters_now(bare: Recording) -> list[OomCounted]:
    found = []
    for counted in bare.supervisor.all(OomCounted):
        if counted.moment != "start":
            continue
        if counted.path is None:
            kills = proc.word_value(proc.read_text("/proc/vmstat", 1 << 20), "oom_kill")
        else:
            groups = [ControlGroup(version, counted.path, counted.path) for version in (1, 2)]
            kills = next((counters.kills for group in groups if (counters := group.counters())), None)
        if kills is not None:
            found.append(OomCounted(moment="after", scope=counted.scope, kills=kills, path=counted.path))
    return found


def _previous_boot(boot: str) -> list[str]:
    """The last words of the kernel in the boot in which the run began, where a journal keeps them."""
    command = [
        "journalctl",
        "-k",
        "-q",
        "--no-pager",
        "-o",
        "cat",
        "-n",
        str(_PREVIOUS_LINES),
        f"--boot={boot.replace('-', '')}",
    ]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_PATIENCE_S, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return []
    lines = done.stdout.decode("utf-8", "replace").splitlines() if done.returncode == 0 else []
    return [line for line in lines if kernel_texts.BEFORE_A_RESTART.search(line)][-5:]
