"""Kills recorded programs at random moments: each recording must read and give a report.

    python scripts/stress_kill.py --kills 1000

Each turn starts `whydied run` on a small busy program, waits for a random time and sends SIGKILL: to the program, to
the supervisor, or to both at once. Then the run must have a report that reads: the one that the supervisor
wrote, or, where it was killed, the one that `whydied show` makes. Exit status 0 when every turn passed.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import psutil

from whydied.places import list_runs
from whydied.report.summary import Report, from_json

TARGETS = ("program", "supervisor", "both")
WEIGHTS = (60, 25, 15)
_LONGEST_S = 60.0
_AGAIN_S = 3.0

PROGRAM = """
import itertools, os, sys, threading, time, warnings

def work(turn):
    if turn % 50 == 0:
        warnings.warn(f"turn {turn}")
    print("turn", turn, file=sys.stderr, flush=True)
    return sum(range(500))

threading.Thread(target=lambda: [time.sleep(0.01) for _ in itertools.count()], daemon=True).start()
for turn in itertools.count():
    work(turn)
    time.sleep(0.001)
"""


class Turn(NamedTuple):
    """What came of one kill. `problem` is None when all was as it must be."""

    target: str
    after_s: float
    result: str
    problem: str | None = None


def main() -> int:
    parser = argparse.ArgumentParser(description="Kill recorded programs at random moments.")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=None, help="repeats the choice of moments and targets")
    parser.add_argument("--longest", type=float, default=1.2, help="latest moment, seconds after the start")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}")
    turns = kill_many(options.kills, random.Random(seed), options.longest)
    for (target, result), count in sorted(Counter((turn.target, turn.result) for turn in turns).items()):
        print(f"{count:5} x {target} killed: {result}")
    problems = [turn for turn in turns if turn.problem]
    for turn in problems:
        print(f"PROBLEM: {turn.target} killed after {turn.after_s:.3f} s: {turn.problem}")
    print(f"{len(turns)} kills, {len(problems)} problems")
    return 1 if problems else 0


def kill_many(kills: int, chance: random.Random, longest_s: float) -> list[Turn]:
    """As many turns, each in a directory of its own."""
    turns = []
    for number in range(kills):
        with tempfile.TemporaryDirectory(prefix="whydied-stress-") as scratch:
            target = chance.choices(TARGETS, WEIGHTS)[0]
            turns.append(kill_once(Path(scratch), target, chance.uniform(0.0, longest_s)))
        if (number + 1) % 50 == 0:
            print(f"{number + 1} of {kills}", file=sys.stderr, flush=True)
    return turns


def kill_once(scratch: Path, target: str, after_s: float) -> Turn:
    """Start, wait, kill, read."""
    script = scratch / "busy.py"
    script.write_text(PROGRAM)
    command = [sys.executable, "-m", "whydied", "run", "--quiet", "--runs", str(scratch / "runs"), str(script)]
    with (scratch / "output").open("wb") as output:
        supervisor = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    try:
        time.sleep(after_s)
        hit = _kill(supervisor, target)
        if target == "program" and not hit:
            _kill(supervisor, "both")
            supervisor.wait(_LONGEST_S)
            return Turn(target, after_s, "too early: nothing to kill yet")
        _wait(supervisor)
        return _examine(scratch, target, after_s, supervisor.returncode)
    except subprocess.TimeoutExpired:
        return Turn(target, after_s, "hung", "the supervisor did not end")
    finally:
        _end_session(supervisor)


def _kill(supervisor: subprocess.Popen[bytes], target: str) -> bool:
    """SIGKILL the target, the program with all its descendants. Whether there was one."""
    with contextlib.suppress(psutil.Error):
        children = psutil.Process(supervisor.pid).children(recursive=True)
        if target != "program":
            supervisor.kill()
        if target != "supervisor":
            for child in children:
                with contextlib.suppress(psutil.Error):
                    child.kill()
        return bool(children)
    return False


def _wait(supervisor: subprocess.Popen[bytes]) -> None:
    """Until the supervisor ends. A kill in the very moment of the start can hit a helper and miss the program."""
    for _ in range(int(_LONGEST_S / _AGAIN_S)):
        with contextlib.suppress(subprocess.TimeoutExpired):
            supervisor.wait(_AGAIN_S)
            return
        _kill(supervisor, "program")
    supervisor.wait(_AGAIN_S)


def _end_session(supervisor: subprocess.Popen[bytes]) -> None:
    """The program outlives a killed supervisor: end what is left of the session that this turn began."""
    for process in psutil.process_iter():
        with contextlib.suppress(OSError, psutil.Error):
            if os.getsid(process.pid) == supervisor.pid:
                process.kill()
    supervisor.wait()


def _examine(scratch: Path, target: str, after_s: float, status: int) -> Turn:
    _end_survivors(scratch)
    runs = list_runs(scratch / "runs")
    if not runs:
        early = target != "program"
        return Turn(target, after_s, "killed before the recording began", None if early else "no recording")
    if target == "program" and status != 128 + signal.SIGKILL:
        return Turn(target, after_s, "report", f"exit status {status}")
    stored = runs[0].report
    if target == "program" and not stored.exists():
        return Turn(target, after_s, "report", "the supervisor left no report")
    shown = subprocess.run(
        [sys.executable, "-m", "whydied", "show", str(runs[0].path), "--json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_LONGEST_S,
        check=False,
    )
    if shown.returncode != 0:
        return Turn(target, after_s, "report", f"whydied show failed: {shown.stderr.decode(errors='replace')[-500:]}")
    return _judge(from_json(shown.stdout), target, after_s)


def _end_survivors(scratch: Path) -> None:
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if str(scratch / "busy.py") in process.cmdline():
                process.kill()
                process.wait(5)


def _judge(report: Report, target: str, after_s: float) -> Turn:
    problem = None
    if report.internal_errors:
        problem = f"errors of our own: {report.internal_errors}"
    elif report.outcome == "finished":
        problem = "a killed run is called finished"
    elif report.cause is None and report.undetermined is None:
        problem = "neither a cause nor a word on why there is none"
    elif target == "program" and report.run.signal != signal.SIGKILL:
        problem = f"the signal is {report.run.signal}"
    told = report.cause.name if report.cause else "undetermined"
    return Turn(target, after_s, f"report: {report.outcome}, {told}", problem)


if __name__ == "__main__":
    sys.exit(main())
