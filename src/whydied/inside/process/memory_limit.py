"""How much memory this process may still take; runs in the user's process, once a second.

What always holds: the smallest of three rooms counts: under the limit that the supervisor tells
(`WHYDIED_MEMORY_LIMIT`), in each control group that has a limit, on the machine.
"""

from __future__ import annotations

import os

from whydied.linux import cgroup, proc

ENV_LIMIT = "WHYDIED_MEMORY_LIMIT"


class MemoryLimit:
    def __init__(self, root: str = "/") -> None:
        self._root = root
        told = os.environ.get(ENV_LIMIT, "")
        self._told = int(told) if told.isdigit() else None
        own = cgroup.group_for("memory", root)
        self._groups = [group for group in own.upwards() if group.limit_bytes() is not None] if own else []

    def room_bytes(self, rss_bytes: int) -> int | None:
        """What is left, or None where nothing tells."""
        rooms = [group.room_bytes() for group in self._groups]
        rooms.append(self._told - rss_bytes if self._told is not None else None)
        rooms.append(proc.field_bytes(proc.read(f"{self._root}proc/meminfo"), b"MemAvailable"))
        return max(0, min(known)) if (known := [room for room in rooms if room is not None]) else None
