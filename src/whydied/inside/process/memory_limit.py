"""How much memory this process may still take; runs in the user's process, once a second.

Invariant: the smallest of three rooms counts: under the limit that the supervisor tells
(`WHYDIED_MEMORY_LIMIT`), in each control group that has a limit, on the machine.
"""

from __future__ import annotations

import os

from whydied.inside.process.held_files import HeldFile
from whydied.linux import cgroup, proc

ENV_LIMIT = "WHYDIED_MEMORY_LIMIT"


class MemoryLimit:
    """With `keeps_open`, what changes is read from files that stay open: see `held_files`."""

    def __init__(self, root: str = "/", keeps_open: bool = False) -> None:
        self._root = root
        self._held: dict[str, HeldFile] | None = {} if keeps_open else None
        self._told = proc.as_int(os.environ.get(ENV_LIMIT, "").encode())
        own = cgroup.group_for("memory", root)
        self._groups = [group for group in own.upwards() if group.limit_bytes() is not None] if own else []
        if keeps_open:
            self.room_bytes(0)

    def reopen(self) -> None:
        """Open again what the program closed."""
        for file in (self._held or {}).values():
            if file.is_lost():
                file.open()

    def is_lost(self) -> bool:
        return any(file.is_lost() for file in (self._held or {}).values())

    def room_bytes(self, rss_bytes: int) -> int | None:
        """What is left, or None where nothing tells."""
        rooms = [group.room_bytes(self._read) for group in self._groups]
        rooms.append(self._told - rss_bytes if self._told is not None else None)
        rooms.append(proc.field_bytes(self._read(f"{self._root}proc/meminfo"), b"MemAvailable"))
        return max(0, min(known)) if (known := [room for room in rooms if room is not None]) else None

    def _read(self, path: str) -> bytes | None:
        if self._held is None:
            return proc.read(path)
        if path not in self._held:
            self._held[path] = HeldFile(path)
        return self._held[path].read()
