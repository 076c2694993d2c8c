"""Reads the kernel's small text files; runs everywhere.

Invariant: a file that is missing, forbidden or gone in the middle of the read is None, never an exception, and
every path goes through a `root`, so that machines which we do not have are tested from trees of files.
"""

from __future__ import annotations

import os
from typing import NamedTuple

_HAS_PROC = hasattr(os, "sysconf")
"""The doctor loads this module on Windows too, where none of these files is."""
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK") if _HAS_PROC else 100
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if _HAS_PROC else 4096


class Stat(NamedTuple):
    """What `/proc/<pid>/stat` tells. `started_ticks` and the pid together name a process for ever."""

    pid: int
    name: str
    state: str
    ppid: int
    cpu_s: float
    started_ticks: int
    exit_code: int
    rss_bytes: int


class Status(NamedTuple):
    rss_bytes: int
    anon_bytes: int | None
    file_bytes: int | None
    shmem_bytes: int | None
    swap_bytes: int | None
    threads: int


def read(path: str, size: int = 65536) -> bytes | None:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(fd, size)
    except OSError:
        return None
    finally:
        os.close(fd)


def read_text(path: str, size: int = 65536) -> str | None:
    data = read(path, size)
    return None if data is None else data.decode("utf-8", "replace")


def read_int(path: str) -> int | None:
    return as_int(read(path))


def as_int(data: bytes | None) -> int | None:
    try:
        return int(data) if data is not None else None
    except ValueError:
        return None


def stat_of(pid: int, root: str = "/") -> Stat | None:
    data = read(f"{root}proc/{pid}/stat", 4096)
    if not data:
        return None
    # A name may hold spaces and parentheses, so the fields are counted from the last parenthesis.
    opened, closed = data.find(b"("), data.rfind(b")")
    fields = data[closed + 2 :].split()
    try:
        return Stat(
            pid=pid,
            name=data[opened + 1 : closed].decode("utf-8", "replace"),
            state=fields[0].decode(),
            ppid=int(fields[1]),
            cpu_s=(int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND,
            started_ticks=int(fields[19]),
            exit_code=int(fields[49]) if len(fields) > 49 else 0,
            rss_bytes=int(fields[21]) * _PAGE_BYTES if len(fields) > 21 else 0,
        )
    except (IndexError, ValueError):
        return None


def status_of(pid: int, root: str = "/") -> Status | None:
    data = read(f"{root}proc/{pid}/status")
    if not data:
        return None
    return Status(
        rss_bytes=_kib(data, b"\nVmRSS:") or 0,
        anon_bytes=_kib(data, b"\nRssAnon:"),
        file_bytes=_kib(data, b"\nRssFile:"),
        shmem_bytes=_kib(data, b"\nRssShmem:"),
        swap_bytes=_kib(data, b"\nVmSwap:"),
        threads=number_after(data, b"\nThreads:") or 1,
    )


def proportional_bytes(pid: int, root: str = "/") -> int | None:
    """Memory of a process where pages that it shares with others count in part. Slow: the kernel walks every page."""
    data = read(f"{root}proc/{pid}/smaps_rollup")
    return _kib(data, b"\nPss:") if data else None


def field_bytes(data: bytes | None, key: bytes) -> int | None:
    """A line of `/proc/meminfo` ("MemAvailable:  123 kB"), in bytes."""
    return _kib(b"\n" + data, b"\n" + key + b":") if data else None


def word_value(text: str | None, word: str) -> int | None:
    """The number after a word at the start of a line ("oom_kill 3")."""
    for line in (text or "").splitlines():
        parts = line.split()
        if len(parts) == 2 and parts[0] == word:
            try:
                return int(parts[1])
            except ValueError:
                return None
    return None


def _kib(data: bytes, key: bytes) -> int | None:
    number = number_after(data, key)
    return None if number is None else number * 1024


def number_after(data: bytes, key: bytes) -> int | None:
    """The number that follows some bytes: `b"\\nThreads:"`."""
    at = data.find(key)
    if at < 0:
        return None
    try:
        return int(data[at + len(key) : at + len(key) + 40].split(None, 1)[0])
    except (IndexError, ValueError):
        return None
