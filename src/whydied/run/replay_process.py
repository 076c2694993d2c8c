"""Starts the replay of a captured step in a fresh process and holds it within limits; runs in the parent, after the
program has ended.

The replay runs in the program's own Python, because only that has the program's TensorFlow, with the recorder kept out.

Invariant: no process of ours is left when `replay` returns, and none outlives us; the memory, the time and the
weight of the replay are bounded; a signal that reaches us meanwhile ends the replay and not the report; nothing raises.
What was not replayed to its end has its reason in `replay.json`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

import msgspec

from whydied.linux import cgroup, proc
from whydied.places import replace_whole
from whydied.records import Replay
from whydied.run import command, signals
from whydied.run.observe import limits

SECONDS = 60.0
"""What the replay may take by its own clock, which begins once TensorFlow is there."""
GRACE_S = 30.0
"""For Python to start and TensorFlow to be imported."""
SHARE = 0.5
"""Of the memory that is free."""
LEAST_BYTES = 512 << 20
"""TensorFlow alone takes about half of this; with less free there is no use in starting."""
_POLL_S = 0.1
_NICE = 10
_LAST_WORDS_BYTES = 2000
_WAITED = frozenset({signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})
_PARENT_DEATH_SIGNAL = 1
# Runs in the new process before anything of ours is imported there. Our home comes last on the search path, so that the
# packages of the program's own environment win.
_ENTRY = f"""
import ctypes, os, runpy, sys
parent, home, directory, seconds = sys.argv[1:5]
try:
    ctypes.CDLL(None).prctl({_PARENT_DEATH_SIGNAL}, {int(signal.SIGKILL)})
    os.nice({_NICE})
    open("/proc/self/oom_score_adj", "w").write("900")
except Exception:
    pass
if os.getppid() != int(parent):
    os._exit(1)
sys.path.append(home)
sys.argv = ["replay", directory, "--seconds", seconds]
runpy.run_module("whydied.replay", run_name="__main__", alter_sys=True)
"""


class Waiting:
    """Whoever waits for a replay, and wants to know when one goes on. This one does not."""

    def begin(self) -> None:
        pass

    def end(self) -> None:
        pass


def replay(
    directory: Path,
    python: str,
    *,
    waiting: Waiting | None = None,
    seconds: float = SECONDS,
    grace_s: float = GRACE_S,
    limit_bytes: int | None = None,
) -> bool:
    """Run a captured step again. False where a signal asked us to leave it."""
    reason, interrupted = "", False
    room = limit_bytes if limit_bytes is not None else int(SHARE * free_bytes())
    if room < LEAST_BYTES and limit_bytes is None:
        reason = f"there was too little free memory to replay the step ({room >> 20} MiB allowed)"
    else:
        try:
            reason, interrupted = _run(directory, python, room, seconds, grace_s, waiting or Waiting())
        except Exception as error:
            reason = f"the step could not be replayed: {error!r}"
    if reason and not (directory / "replay.json").exists():
        _tell(directory, reason)
    return not interrupted


def free_bytes(root: str = "/") -> int:
    """What this process could still take: of the machine, and of the groups that it is in."""
    machine = proc.field_bytes(proc.read(f"{root}proc/meminfo"), b"MemAvailable") or 0
    group = cgroup.own_group(root)
    holder = cgroup.holding_limit(group) if group else None
    limit, used = (holder.limit_bytes(), holder.usage_bytes()) if holder else (None, None)
    if limit is None or used is None:
        return machine
    return max(0, min(machine, limit - used))


def _run(directory: Path, python: str, room: int, seconds: float, grace_s: float, waiting: Waiting) -> tuple[str, bool]:
    """Why there is no result, "" where there should be one, and whether a signal came."""
    home = os.fspath(Path(__file__).resolve().parents[2])
    argv = [python, "-c", _ENTRY, str(os.getpid()), home, os.fspath(directory), str(seconds)]
    # Signals are taken one by one, as the supervisor does: Ctrl-C must end the replay and not us.
    taken = signals.blocked(_WAITED, {signal.SIGCHLD})
    with tempfile.TemporaryFile() as errors, _memory_group(directory, room) as procs, taken:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=_environment(),
            cwd="/",
            start_new_session=True,
        )
        try:
            if procs is not None:
                with contextlib.suppress(OSError):
                    limits.write_knob(procs, str(process.pid))
            reason, interrupted = _attend(process, room, time.monotonic() + seconds + grace_s, waiting)
        finally:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        status = process.returncode
        if not reason and status != 0:
            reason = f"the replay ended with {_status(status)}: {_last_words(errors)}"
    return reason, interrupted


def _attend(process: subprocess.Popen[bytes], room: int, deadline_s: float, waiting: Waiting) -> tuple[str, bool]:
    waiting.begin()
    try:
        while process.poll() is None:
            now = time.monotonic()
            if now > deadline_s:
                return "replaying the step took too long", False
            if (proc.field_bytes(proc.read(f"/proc/{process.pid}/status"), b"VmRSS") or 0) > room:
                return f"replaying the step took more than the {room >> 20} MiB that it was allowed", False
            arrived = signal.sigtimedwait(_WAITED, _POLL_S)
            if arrived is not None and arrived.si_signo != signal.SIGCHLD:
                return "replaying the step was interrupted", True
        return "", False
    finally:
        waiting.end()


@contextlib.contextmanager
def _memory_group(directory: Path, room: int) -> Iterator[str | None]:
    """The `cgroup.procs` of a group with the limit; None where none can be made, and the watch has to do."""
    limit = limits.wanted_limit(room, f"replay-{os.getpid()}-{directory.name}")
    try:
        yield f"{limit.made.path}/cgroup.procs" if limit.made else None
    finally:
        if limit.made:
            limits.remove_group(limit.made)


def _environment(base: Mapping[str, str] | None = None) -> dict[str, str]:
    env = command.plain_environment(base)
    # The entry above runs with -c and needs nothing that the program's variables would add or print.
    for name in ("PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONWARNINGS", "TF_XLA_FLAGS", "XLA_FLAGS", "LD_PRELOAD"):
        env.pop(name, None)
    return env | {
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "-1",
        "TF_ENABLE_DEPRECATION_WARNINGS": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _status(code: int | None) -> str:
    if code is not None and code < 0:
        return signal.Signals(-code).name if -code in {int(s) for s in signal.Signals} else f"signal {-code}"
    return f"exit status {code}"


def _last_words(errors: IO[bytes]) -> str:
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, size - _LAST_WORDS_BYTES))
    lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:300] if lines else "no output"


def _tell(directory: Path, reason: str) -> None:
    """Leave the reason where the result would be."""
    told = Replay(directory=f"{directory.parent.name}/{directory.name}", status="failed", reason=reason)
    with contextlib.suppress(OSError):
        replace_whole(directory / "replay.json", msgspec.json.encode(told))


def interpreter(recorded: str) -> str | None:
    """The Python to replay with: the program's own, where it is still there."""
    if recorded and os.access(recorded, os.X_OK):
        return recorded
    return None if recorded else sys.executable
