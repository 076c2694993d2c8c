"""Which file system a file is on, and how full that is; runs in the parent. What cannot be read is None."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from whydied.records import FileSystemSeen

_OCTAL = re.compile(r"\\([0-7]{3})")


class Mount(NamedTuple):
    """`device` is "major:minor" in decimal."""

    device: str
    point: str
    kind: str


def file_system_of(device: str, path: str = "", mountinfo: str = "/proc/self/mountinfo") -> FileSystemSeen | None:
    """The file system with this device number; of several places where it is mounted, the one above the path."""
    same = [mount for mount in mounts(mountinfo) if mount.device == device]
    below = [mount for mount in same if path == mount.point or path.startswith(mount.point.rstrip("/") + "/")]
    chosen = max(below or same, key=lambda mount: len(mount.point), default=None)
    if chosen is None:
        return None
    try:
        status = os.statvfs(chosen.point)
    except OSError:
        return None
    return FileSystemSeen(
        mount=chosen.point,
        kind=chosen.kind,
        total_bytes=status.f_frsize * status.f_blocks,
        free_bytes=status.f_frsize * status.f_bavail,
    )


def mounts(mountinfo: str = "/proc/self/mountinfo") -> Iterator[Mount]:
    try:
        with open(mountinfo, encoding="utf-8", errors="replace") as file:
            lines = file.readlines()
    except OSError:
        return
    for line in lines:
        words = line.split()
        if "-" in words[6:] and len(words) > (bar := words.index("-", 6)) + 1:
            yield Mount(words[2], _OCTAL.sub(lambda found: chr(int(found[1], 8)), words[4]), words[bar + 1])
