"""Enforces a memory limit where no control group can; runs in the parent.

Invariant: like the kernel, it kills the largest process of the program and no other. Pages that processes share
count once: the quick sum only raises the alarm, the kernel's proportional account decides.
"""

from __future__ import annotations

import contextlib
import os
import signal

from whydied.linux import proc
from whydied.records import MachineSampled, ProcessSample, SignalSent


def over_limit(sample: MachineSampled, limit_bytes: int) -> ProcessSample | None:
    """The process to kill, if the program holds more memory than it may."""
    alive = [process for process in sample.processes if process.state not in "ZX"]
    if sum(process.rss_bytes for process in alive) <= limit_bytes:
        return None
    if len(alive) > 1 and sum(_bytes(process) for process in alive) <= limit_bytes:
        return None
    return max(alive, key=lambda process: process.rss_bytes, default=None)


def kill(process: ProcessSample) -> SignalSent:
    with contextlib.suppress(OSError):
        os.kill(process.pid, signal.SIGKILL)
    return SignalSent(signal=signal.SIGKILL, why="memory limit")


def _bytes(process: ProcessSample) -> int:
    proportional = proc.proportional_bytes(process.pid)
    return process.rss_bytes if proportional is None else proportional
