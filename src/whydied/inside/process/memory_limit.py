"""How much memory this process may still take; runs in the user's process, once a second.

What always holds: the smallest of three rooms counts: under the limit that the supervisor tells
(`WHYDIED_MEMORY_LIMIT`), in each control group that has a limit, on the machine. Page cache that the kernel can drop
is room.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial

from whydied.inside.process.held_files import HeldFile

Source = Callable[[], bytes | None]
ENV_LIMIT = "WHYDIED_MEMORY_LIMIT"
_NO_LIMIT_BYTES = 1 << 60


class MemoryLimit:
    """With `keeps_open`, what changes is read from files that stay open: see `held_files`."""

    def __init__(self, root: str = "/", keeps_open: bool = False) -> None:
        self._told = _told()
        self._held: list[HeldFile] = []
        self._keeps_open = keeps_open
        self._groups = [_Group(self._source, *group) for group in _limited_groups(root)]
        self._machine = self._source(f"{root}proc/meminfo")

    def reopen(self) -> None:
        """Open again what the program closed."""
        for file in self._held:
            if file.is_lost():
                file.open()

    def is_lost(self) -> bool:
        return any(file.is_lost() for file in self._held)

    def _source(self, path: str) -> Source:
        if not self._keeps_open:
            return partial(_read, path)
        self._held.append(HeldFile(path))
        return self._held[-1].read

    def room_bytes(self, rss_bytes: int) -> int | None:
        """What is left, or None where nothing tells."""
        rooms = [room for group in self._groups if (room := group.room_bytes()) is not None]
        if self._told is not None:
            rooms.append(self._told - rss_bytes)
        available = _word(self._machine(), b"MemAvailable:")
        if available is not None:
            rooms.append(available * 1024)
        return max(0, min(rooms)) if rooms else None


class _Group:
    """A control group that has a limit."""

    def __init__(self, source: Callable[[str], Source], path: str, version: int, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self._usage = source(f"{path}/{'memory.usage_in_bytes' if version == 1 else 'memory.current'}")
        self._stat = source(f"{path}/memory.stat")
        self._prefix = b"total_" if version == 1 else b""

    def room_bytes(self) -> int | None:
        usage = _number(self._usage())
        if usage is None:
            return None
        stat = self._stat()
        cached = sum(_word(stat, self._prefix + name) or 0 for name in (b"inactive_file ", b"active_file "))
        return self.limit_bytes - usage + cached


def _told() -> int | None:
    return _number(os.environ.get(ENV_LIMIT, "").encode())


def _limited_groups(root: str) -> Iterator[tuple[str, int, int]]:
    """The group of this process and those above it, as far as they have a limit: directory, version, limit."""
    for version, top, path in _groups(root):
        name = "memory.limit_in_bytes" if version == 1 else "memory.max"
        while True:
            directory = f"{top}/{path}".rstrip("/")
            limit = _number(_read(f"{directory}/{name}"))
            if limit is not None and limit < _NO_LIMIT_BYTES:
                yield directory, version, limit
            if not path:
                break
            path = path.rpartition("/")[0]


def _groups(root: str) -> Iterator[tuple[int, str, str]]:
    """Version, mount point and path below it, for each hierarchy that accounts memory."""
    lines = (_read(f"{root}proc/self/cgroup") or b"").decode("utf-8", "replace").splitlines()
    for line in _mount_lines(root):
        before, _, after = line.partition(" - ")
        left, right = before.split(), after.split()
        if len(left) < 5 or len(right) < 3 or right[0] not in ("cgroup", "cgroup2"):
            continue
        version = 2 if right[0] == "cgroup2" else 1
        if version == 1 and "memory" not in right[2].split(","):
            continue
        for entry in lines:
            _, controllers, path = [*entry.split(":", 2), "", ""][:3]
            if (version == 2 and entry.startswith("0::")) or "memory" in controllers.split(","):
                inside = _below(path, left[3])
                yield version, root + left[4].lstrip("/"), inside
                break


def _below(path: str, mounted: str) -> str:
    """The path as the mount shows it: in a container, where it shows a part, the path may be told from outside."""
    if mounted != "/":
        path = path[len(mounted) :] if (path + "/").startswith(mounted.rstrip("/") + "/") else ""
    return "" if ".." in path.split("/") else path.strip("/")


def _mount_lines(root: str) -> list[str]:
    try:
        with open(f"{root}proc/self/mountinfo", encoding="utf-8", errors="replace") as stream:
            return stream.read(1 << 20).splitlines()
    except OSError:
        return []


def _read(path: str) -> bytes | None:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.read(fd, 1 << 16) or None
        finally:
            os.close(fd)
    except OSError:
        return None


def _number(text: bytes | None) -> int | None:
    try:
        return int(text) if text else None
    except ValueError:
        return None


def _word(text: bytes | None, word: bytes) -> int | None:
    """The number after a word at the start of a line."""
    at = -1 if text is None else 0 if text.startswith(word) else text.find(b"\n" + word) + 1
    if text is None or at < 0 or (at == 0 and not text.startswith(word)):
        return None
    return _number(text[at + len(word) :].split(None, 1)[0])
