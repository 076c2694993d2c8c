"""Measures commands: wall time, processor time of the whole tree, and what the program says of its inner loop, of the
peak of its steps and of its longest pause.

Runs in the harness. Comparisons are between neighbours in time, so that a slow hour of the machine meets both
sides; a ratio is the median over pairs with a bootstrap interval.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

_INNER = re.compile(rb"^inner (\S+) (\S+)\s*$", re.MULTILINE)
_PEAK = re.compile(rb"^peak (\S+)\s*$", re.MULTILINE)
_STALL = re.compile(rb"^stall (\S+)\s*$", re.MULTILINE)
_RESAMPLES = 2000


class Measured(NamedTuple):
    """One run. The inner times, the peak of a step and the longest pause are None where the program prints none."""

    status: int
    wall_s: float
    cpu_s: float
    inner_wall_s: float | None
    inner_cpu_s: float | None
    output: bytes
    peak_mib: float | None
    stall_s: float | None


class Ratio(NamedTuple):
    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * (self.median - 1):+6.1f} %  [{100 * (self.low - 1):+.1f}, {100 * (self.high - 1):+.1f}]"


def whydied_command() -> list[str]:
    """The installed command of this interpreter's environment."""
    found = shutil.which("whydied", path=str(Path(sys.executable).parent))
    return [found] if found else [sys.executable, "-m", "whydied"]


def measure(argv: Sequence[str], cwd: Path, environment: Mapping[str, str] | None = None) -> Measured:
    """Run a command to its end. Processor time is that of the process and of all descendants it waited for."""
    out = cwd / "output"
    began = time.perf_counter()
    with out.open("wb") as stdout:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.DEVNULL,
        )
        _, wait_status, usage = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(wait_status)
    output = out.read_bytes()
    inner = _INNER.search(output)
    inner_wall_s, inner_cpu_s = (float(inner[1]), float(inner[2])) if inner else (None, None)
    cpu_s = usage.ru_utime + usage.ru_stime
    peak_mib, stall_s = (float(found[1]) if (found := told.search(output)) else None for told in (_PEAK, _STALL))
    return Measured(process.returncode, wall_s, cpu_s, inner_wall_s, inner_cpu_s, output, peak_mib, stall_s)


def ratio(plain: Sequence[float], other: Sequence[float]) -> Ratio:
    """The median of the pairs' ratios, with a 95 % bootstrap interval."""
    ratios = [b / a for a, b in zip(plain, other, strict=True)]
    chance = random.Random(0)
    medians = sorted(statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(_RESAMPLES))
    return Ratio(statistics.median(ratios), medians[_RESAMPLES // 40], medians[-_RESAMPLES // 40])
