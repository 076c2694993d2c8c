"""`/dev`, `/proc` and `/sys` as a program in the sandbox sees them; runs in its namespaces, before the program.

Invariant: no device but those that every program needs and GPUs; of processes only its own; the settings of the kernel
are read-only, but for the control group that was made for the sandbox.
"""

from __future__ import annotations

import os
import stat

from whydied.linux import system_calls
from whydied.linux.system_calls import MS_NODEV, MS_NOEXEC, MS_NOSUID

_PLAIN = ("null", "zero", "full", "random", "urandom", "tty")
_GPUS = ("nvidia", "dri", "kfd")
"""Beginnings of the names of GPU devices and of directories of them."""
_LINKS = {
    "fd": "/proc/self/fd",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
    "ptmx": "pts/ptmx",
}


def make_devices(dev: str, shm_bytes: int) -> None:
    system_calls.mount("tmpfs", dev, "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=755,size=1m")
    gpus = [name for name in os.listdir("/dev") if name.startswith(_GPUS)]
    for name in (*_PLAIN, *gpus):
        real, new = f"/dev/{name}", f"{dev}/{name}"
        if not os.path.exists(real):
            continue
        if os.path.isdir(real):
            os.mkdir(new)
        else:
            open(new, "x").close()
        system_calls.bind(real, new)
    for name, target in _LINKS.items():
        os.symlink(target, f"{dev}/{name}")
    for name in ("shm", "pts"):
        os.mkdir(f"{dev}/{name}")
    system_calls.mount("devpts", f"{dev}/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
    system_calls.mount("tmpfs", f"{dev}/shm", "tmpfs", MS_NOSUID | MS_NODEV, f"mode=1777,size={shm_bytes}")


def shared_memory_bytes(most: int) -> int:
    """The size of the real `/dev/shm`, which a program can die of, within our bound."""
    try:
        seen = os.statvfs("/dev/shm")
    except OSError:
        return most
    return min(most, seen.f_blocks * seen.f_frsize) or most


def make_processes(proc: str) -> None:
    """A `/proc` of this namespace's own processes. Root inside is root of the machine to the modes of these files, so
    what is no process is read-only."""
    system_calls.mount("proc", proc, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    for entry in os.scandir(proc):
        if entry.name.isdigit() or entry.is_symlink():
            continue
        if entry.is_dir() or stat.S_IMODE(entry.stat().st_mode) & 0o222:
            system_calls.bind(entry.path, entry.path)
            system_calls.make_read_only(entry.path)


def make_system(sys: str, writable: list[str]) -> None:
    """The real `/sys`, read-only but for some directories."""
    system_calls.bind("/sys", sys)
    system_calls.make_read_only(sys)
    for directory in writable:
        system_calls.bind(directory, sys + directory.removeprefix("/sys"))
