"""Keeps the recorded runs from growing without end. Runs in the parent. A run that is still going, or that might be, is
never removed."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from whydied.places import RunDirectory
from whydied.read import life

_DAY_S = 86400.0


class Pruned(NamedTuple):
    """`failed` has a sentence for each run that could not be removed."""

    removed: list[RunDirectory]
    freed_bytes: int
    failed: list[str]


def prune(directories: Sequence[RunDirectory], *, keep_days: float, keep_bytes: int) -> Pruned:
    """Removes runs that are too old, then the oldest until the rest fits."""
    now = time.time()
    sized = [(directory, size_bytes(directory.path)) for directory in directories]
    total = sum(size for _, size in sized)
    pruned = Pruned([], 0, [])
    for directory, size in sized:
        too_old = now - started_s(directory) > keep_days * _DAY_S
        if not (too_old or total > keep_bytes) or life.life(directory) == "going":
            continue
        try:
            shutil.rmtree(directory.path)
        except OSError as error:
            pruned.failed.append(f"{directory.id} could not be removed: {error.strerror or error}")
            continue
        total -= size
        pruned.removed.append(directory)
        pruned = pruned._replace(freed_bytes=pruned.freed_bytes + size)
    return pruned


def started_s(directory: RunDirectory) -> float:
    """When the run began: its id says so; a directory of another name is as old as it looks."""
    with contextlib.suppress(ValueError, OverflowError):
        return time.mktime(time.strptime(directory.id[:15], "%Y%m%d-%H%M%S"))
    with contextlib.suppress(OSError):
        return directory.path.stat().st_mtime
    return 0.0


def size_bytes(path: Path) -> int:
    """What a directory takes on the disk."""
    total = 0
    for base, _, files in os.walk(path):
        for name in files:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(base, name)).st_blocks * 512
    return total
