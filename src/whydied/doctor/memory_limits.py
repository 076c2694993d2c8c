"""How much memory there is, what limits it, and how its end will show."""

from __future__ import annotations

import os

from whydied import words
from whydied.doctor.machine import Check, Machine

_SMALL_SHM_BYTES = 256 << 20
_LITTLE_BYTES = 1 << 30
# Under strict accounting all that TensorFlow reserves counts, used or not.
_STRICT, _RESERVED_BYTES = 2, 8 << 30


def memory_checks(machine: Machine) -> list[Check]:
    checks = [_total(machine), _limit(machine), _ulimits(machine), _swap(machine), _overcommit(machine)]
    return [*checks, _shared(machine)]


def _total(machine: Machine) -> Check:
    total, available = machine.memory("MemTotal"), machine.memory("MemAvailable")
    if total is None:
        return Check(
            "memory",
            "missing",
            "/proc/meminfo cannot be read",
            "reports cannot say how much was free when a program died",
            "mount /proc",
        )
    free = f", {words.size(available)} available" if available is not None else ""
    return Check("memory", "ok", f"{words.size(total)}{free}")


def _limit(machine: Machine) -> Check:
    group = machine.group()
    if group is None:
        return Check(
            "limit",
            "missing",
            "no memory cgroup",
            "an OOM kill can be recognised only by the kernel log and the machine-wide counter",
            "mount the memory controller (cgroup v2) in this container",
        )
    if group.limit_bytes is None:
        return Check("limit", "ok", f"none (cgroup v{group.version}); the machine's memory is the limit")
    if group.limit_bytes < _LITTLE_BYTES:
        return Check(
            "limit",
            "risk",
            f"{words.size(group.limit_bytes)} (cgroup v{group.version})",
            "importing TensorFlow takes about half a gigabyte, so little is left before the kernel kills the program",
            "docker run --memory 4g …, or raise the limit of the job",
        )
    return Check("limit", "ok", f"{words.size(group.limit_bytes)} (cgroup v{group.version})")


def _ulimits(machine: Machine) -> Check:
    named = {"RLIMIT_AS": "address space", "RLIMIT_DATA": "data"}
    found = {phrase: machine.ulimit(name) for name, phrase in named.items()}
    phrase = ", ".join(f"{name} {words.size(size)}" for name, size in found.items() if size is not None)
    tight = found["address space"] is not None or found["data"] is not None
    if not tight:
        return Check("ulimits", "ok", phrase or "none")
    return Check(
        "ulimits",
        "risk",
        phrase,
        "TensorFlow reserves far more address space than it uses: it may fail at startup or in odd places",
        "ulimit -v unlimited; ulimit -d unlimited",
    )


def _swap(machine: Machine) -> Check:
    swap = machine.memory("SwapTotal")
    if not swap:
        return Check("swap", "ok", "none: a program that runs out of memory dies at once, without slowing down")
    return Check("swap", "ok", f"{words.size(swap)}: a program slows down before it runs out of memory")


def _overcommit(machine: Machine) -> Check:
    mode = machine.number("proc/sys/vm/overcommit_memory")
    phrase = {
        0: "0: a large request may be granted, and the program killed later",
        1: "1: every request is granted, and the program killed later if it cannot be met",
        2: "2: a request beyond the limit is refused with an exception",
    }
    allowed, promised = machine.memory("CommitLimit"), machine.memory("Committed_AS")
    if mode == _STRICT and allowed is not None and promised is not None and allowed - promised < _RESERVED_BYTES:
        return Check(
            "overcommit",
            "risk",
            f"2: {words.size(max(0, allowed - promised))} of {words.size(allowed)} can still be committed",
            "TensorFlow reserves more memory than it uses: starting threads, large arrays and fork fail with ENOMEM",
            "as root: sysctl vm.overcommit_memory=0",
        )
    return Check("overcommit", "ok", phrase.get(mode if mode is not None else -1, "unknown"))


def _shared(machine: Machine) -> Check:
    try:
        status = os.statvfs(machine.at("dev/shm"))
    except OSError:
        return Check(
            "/dev/shm",
            "risk",
            "does not exist",
            "programs that share memory between processes fail",
            "mount a tmpfs on /dev/shm (docker run --shm-size 1g)",
        )
    total, free = status.f_frsize * status.f_blocks, status.f_frsize * status.f_bavail
    found = f"{words.size(total)}, {words.size(free)} free"
    if total >= _SMALL_SHM_BYTES and free >= _SMALL_SHM_BYTES:
        return Check("/dev/shm", "ok", found)
    small = total < _SMALL_SHM_BYTES
    return Check(
        "/dev/shm",
        "risk",
        found,
        "workers that pass arrays through shared memory die with a bus error (SIGBUS) when it is full",
        "docker run --shm-size 1g …, or as root: mount -o remount,size=1g /dev/shm"
        if small
        else "see what fills it: ls -lS /dev/shm; remove what no process uses (fuser -v /dev/shm/*)",
    )
