"""Memory was touched that nothing stands behind any more (SIGBUS).

## What it detects
A process that ended by SIGBUS, with the mapped file, the place in it and its file system.

## Why it happens
A file that became shorter while it was mapped; a tmpfs (such as /dev/shm, the shared memory of worker processes) or
a pool of huge pages that is full: mapping costs nothing there, and memory is taken when a page is first written; or a
disk that failed while a mapped file was read.

## Evidence
The wait status of the process; the address that the kernel gives with the signal, and the file that was mapped there,
from what our handler kept (x86_64); the size of that file and the room on its file system, looked up when the program
had ended; the free space of /dev/shm while it ran; the Python stack that faulthandler wrote while dying; the native
frames.

## How it is proved
The wait status is direct evidence of the signal: the finding is certain. That a file is too short or a file system full
is told only where it was measured so.

## Fix
Make /dev/shm larger (containers often have 64 MiB: `docker run --shm-size`), or do not truncate a file while it is
mapped.

## Known problems
A file that was gone when the program had ended cannot be measured; for one on /dev/shm the last sample before the end
stands in. Where our handler did not stand (another processor, memory that cannot be made executable) the file is not
known.
"""

from __future__ import annotations

import signal

from whydied import words
from whydied.diagnose.case import Case
from whydied.diagnose.crash.ending_evidence import crash
from whydied.diagnose.crash.native_crash import crash_of
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import CrashSeen, FileSystemSeen, MappedFile

_PAGE = 4096
_FULL_BYTES = 1 << 20
"""Below this much room a file system counts as full: others may have freed a little since."""
_SHARED = "/dev/shm"
_IN_MEMORY = ("tmpfs", "ramfs", "hugetlbfs", "devtmpfs")
_MISALIGNED, _HARDWARE = 1, (4, 5)

ROLE = "death"
YIELDS_TO = ("device-memory-exhausted",)


def check(case: Case) -> Finding | None:
    if case.signal != signal.SIGBUS:
        return None
    seen = crash_of(case)
    if seen is None or seen.file is None:
        return _bare(case, seen)
    file, system = seen.file, seen.file_system
    verb = {"write": "wrote to", "read": "read"}.get(seen.access, "touched")
    why, advice = _reason(case, file, system)
    of_file = Culprit(kind="file", name=file.path.rsplit("/", 1)[-1], bytes=file.size_bytes)
    return crash(
        case,
        f"{verb} byte {file.offset:,} of {file.path}, which it had mapped, but {why}",
        advice or (_room_advice(system) if system else []),
        extra=[*_file_evidence(file, seen), *_system_evidence(case, system)],
        culprit=of_file
        if advice or system is None
        else Culprit(kind="file system", name=system.mount, bytes=system.total_bytes),
    )


def _reason(case: Case, file: MappedFile, system: FileSystemSeen | None) -> tuple[str, list[str]]:
    """Why the page was not there, and what to do; without advice where the file system had no room for it."""
    if file.size_bytes is not None and file.offset // _PAGE * _PAGE >= file.size_bytes:
        size = words.size(file.size_bytes) if file.size_bytes else "0 bytes"
        return (
            f"the file has only {size} (SIGBUS): it was truncated while it was mapped",
            ["Do not truncate or rewrite a file that is mapped: write a new one and rename it, then map that."],
        )
    free = _free_bytes(case, file, system)
    if system is not None and free is not None and free < _FULL_BYTES:
        room = f"{system.mount} ({system.kind}) has {words.size(free)} of {words.size(system.total_bytes)} free"
    elif system is not None and file.size_bytes is None and system.kind in _IN_MEMORY:
        # A file in memory that went with the program: what it took is free again, so the room there is tells nothing.
        total = words.size(system.total_bytes)
        room = f"{system.mount} ({system.kind}, {total}) was full, or the file became shorter"
        if file.mapped_bytes > system.total_bytes:
            mapped = words.size(file.mapped_bytes)
            room = f"{system.mount} ({system.kind}) has {total} in all, and {mapped} of the file were mapped"
    else:
        return (
            "its page could not be loaded (SIGBUS)",
            [
                "The disk or network file system may have failed, or another process changed the file: see the "
                "kernel's log."
            ],
        )
    return f"there was no memory for it (SIGBUS): {room}", []


def _bare(case: Case, seen: CrashSeen | None) -> Finding:
    """Where no file is known to be behind the address."""
    if seen is not None and seen.code in _HARDWARE:
        return crash(
            case,
            "touched memory that the hardware reports as faulty (SIGBUS)",
            ["A memory module has failed: look for `mce` and `EDAC` lines in the kernel log."],
        )
    if seen is not None and seen.code == _MISALIGNED:
        return crash(
            case,
            "used a misaligned address (SIGBUS)",
            ["This line called the native code that did it; check for mismatched binaries with `whydied doctor`."],
        )
    free = _shared_free(case)
    full = free is not None and free < _FULL_BYTES
    return crash(
        case,
        "touched mapped memory that has no backing storage "
        "(SIGBUS)" + ("; /dev/shm was full at the end" if full else ""),
        ["Look for a file that was truncated while mapped, and for a full /dev/shm: `whydied doctor` shows its size."],
        extra=[Evidence(fact="free on /dev/shm", value=words.size(free), source="MachineSampled")]
        if full and free is not None
        else [],
    )


def _free_bytes(case: Case, file: MappedFile, system: FileSystemSeen | None) -> int | None:
    """What was free when the program died. What it had mapped and nobody else holds is free again after it."""
    if system is None:
        return None
    sampled = _shared_free(case) if system.mount == _SHARED and file.deleted else None
    return min(system.free_bytes, sampled) if sampled is not None else system.free_bytes


def _shared_free(case: Case) -> int | None:
    told = [
        sample.machine.shm_free_bytes
        for sample in case.recording.samples[-3:]
        if sample.machine.shm_free_bytes is not None
    ]
    return min(told, default=None)


def _file_evidence(file: MappedFile, seen: CrashSeen) -> list[Evidence]:
    source = f"CrashSeen of process {seen.pid}"
    size = words.size(file.size_bytes) if file.size_bytes is not None else "gone when the program had ended"
    return [
        Evidence(fact="the mapped file", value=f"{file.path}, byte {file.offset:,}", source=source),
        Evidence(fact="its size afterwards", value=size, source=source),
    ]


def _system_evidence(case: Case, system: FileSystemSeen | None) -> list[Evidence]:
    if system is None:
        return []
    room = f"{words.size(system.free_bytes)} of {words.size(system.total_bytes)} free afterwards"
    found = [Evidence(fact=f"space on {system.mount} ({system.kind})", value=room, source="CrashSeen")]
    free = _shared_free(case)
    if system.mount == _SHARED and free is not None and free < system.free_bytes:
        found.append(
            Evidence(fact="free on /dev/shm at the last sample", value=words.size(free), source="MachineSampled")
        )
    return found


def _room_advice(system: FileSystemSeen) -> list[str]:
    if system.mount == _SHARED:
        return [
            "Make /dev/shm larger (`docker run --shm-size=…`, or `mount -o remount,size=… /dev/shm`), "
            "or share less: fewer workers, smaller batches.",
            f"See what is there: `ls -l {system.mount}`.",
        ]
    if system.kind == "hugetlbfs":
        return ["Reserve more huge pages (`sysctl vm.nr_hugepages`), or do not use them."]
    return [
        f"Make room on {system.mount}, or write the whole file before mapping it: that fails with an error message."
    ]
