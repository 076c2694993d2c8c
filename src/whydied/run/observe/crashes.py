"""The dumps that crashed processes of a run left, as records with names; runs in the parent and the watcher, after the
program's end.

Invariant: a dump is taken away once it was looked at, readable or not, because it holds a part of the
program's memory. A damaged one costs its frames and nothing else. Only the first few get names, because a large
library takes half a second to look through.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from whydied.linux.mounts import mounts
from whydied.native.crash_dump import Dump, Mapping, divisor_of, read_dump
from whydied.native.dump_layout import SUFFIX
from whydied.native.unwinding import Libraries, functions_of, walk
from whydied.places import names_in
from whydied.records import (
    CrashSeen,
    FileSystemSeen,
    InternalError,
    MappedFile,
    NativeFrame,
    ProcessorSeen,
    Record,
)
from whydied.texts import python_output

_LARGEST_BYTES = 16 << 20
_MOST_NAMED = 4
_MOST = 64
_MOST_FRAMES = 40
_NULL_BYTES = 4096
_BEYOND_STACK_BYTES = 1 << 20
_PAGE_FAULT = 14
_ILLEGAL, _ARITHMETIC = 4, 8
_ABOUT_ADDRESS = (7, 11)
_MODEL = re.compile(r"^model name\s*:\s*(.+)$", re.MULTILINE)
_ILLEGAL_WORDS = python_output.ILLEGAL_INSTRUCTION.words.encode()


def crashes_in(faults: Path, first: int | None = None) -> list[Record]:
    """What the dumps of a run tell, that of the process `first` before all others, and the last ones before earlier
    ones; and of the processor where an instruction was refused."""
    found: list[Record] = []
    names = names_in(faults)
    dumps = sorted((name for name in names if name.endswith(SUFFIX)), key=lambda name: _age(faults / name))
    dumps.sort(key=lambda name: name != f"{first}{SUFFIX}")
    for name in dumps[:_MOST]:
        try:
            seen = _seen(faults / name, named=len(found) < _MOST_NAMED)
            if seen is not None:
                found.append(seen)
        except Exception as error:
            found.append(InternalError(where="run.crashes", error=repr(error)))
    if any(isinstance(seen, CrashSeen) and seen.signal == _ILLEGAL for seen in found) or _says_illegal(faults, names):
        processed = processor_seen()
        found += [processed] if processed else []
    return found


def _age(path: Path) -> float:
    try:
        return -path.stat().st_mtime
    except OSError:
        return 0.0


def _says_illegal(faults: Path, names: list[str]) -> bool:
    for name in [name for name in names if name.endswith(".txt")][:_MOST]:
        try:
            with open(faults / name, "rb") as file:
                if _ILLEGAL_WORDS in file.read(1 << 16):
                    return True
        except OSError:
            continue
    return False


def _seen(path: Path, named: bool) -> CrashSeen | None:
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST_BYTES)
    finally:
        path.unlink(missing_ok=True)
    dump = read_dump(data)
    if dump is None:
        return None
    about = dump.mapping(dump.address) if dump.address is not None and dump.signal in _ABOUT_ADDRESS else None
    return CrashSeen(
        pid=dump.pid,
        thread=dump.thread,
        signal=dump.signal,
        code=dump.code,
        sender=dump.sender,
        address=dump.address,
        access=_access(dump),
        memory=_memory(dump, about),
        instruction=dump.code_bytes.hex() if any(dump.code_bytes) else "",
        divisor=divisor_of(dump) if dump.signal == _ARITHMETIC else None,
        frames=_frames(dump) if named else [],
        file=_file(dump, about),
        file_system=_file_system_of(about.device, about.path) if about is not None and about.path else None,
    )


def _frames(dump: Dump) -> list[NativeFrame]:
    with Libraries() as libraries:
        places = walk(dump, libraries)[:_MOST_FRAMES]
        names = functions_of(places, libraries)
        return [
            NativeFrame(function=name, library=_library(place.mapping))
            for place, name in zip(places, names, strict=True)
        ]


def _library(mapping: Mapping | None) -> str:
    """The file of some code; memory that the program shares with itself has the names of files that are none."""
    path = mapping.path if mapping is not None else ""
    return "" if path.startswith(("/dev/zero", "/memfd:", "/SYSV", "[")) and path != "[vdso]" else path


def _access(dump: Dump) -> str:
    """What was tried with the address: the bits that the processor gives with a page fault."""
    if dump.trap != _PAGE_FAULT or dump.address is None:
        return ""
    if dump.error & 0x10:
        return "execute"
    return "write" if dump.error & 0x2 else "read"


def _memory(dump: Dump, about: Mapping | None) -> str:
    if dump.trap != _PAGE_FAULT or dump.address is None:
        return ""
    access = _access(dump)
    if dump.address < _NULL_BYTES:
        return "null"
    if about is not None and about.flags[0] == "r" and access == "write" and about.flags[1] != "w":
        return "read-only"
    if about is not None and access == "execute" and not about.executable:
        return "not executable"
    if about is not None and about.flags[0] == "r":
        return "mapped"
    return "stack" if _is_beyond_stack(dump) else "unmapped"


def _is_beyond_stack(dump: Dump) -> bool:
    """Whether the address is near the stack pointer and below the memory that the stack has: it has run out."""
    assert dump.address is not None
    if abs(dump.address - dump.stack_pointer) > _BEYOND_STACK_BYTES:
        return False
    above = [one for one in dump.maps if one.start > dump.address - 1 and one.flags.startswith("rw")]
    nearest = min((one.start for one in above), default=0)
    return nearest - dump.address <= _BEYOND_STACK_BYTES


def _file(dump: Dump, about: Mapping | None) -> MappedFile | None:
    if about is None or dump.address is None or not about.path.startswith("/"):
        return None
    size = None
    try:
        status = os.stat(about.path)
        if status.st_ino == about.inode:
            size = status.st_size
    except OSError:
        pass
    same = [one for one in dump.maps if (one.device, one.inode) == (about.device, about.inode)]
    return MappedFile(
        path=about.path,
        offset=dump.address - about.start + about.offset,
        mapped_bytes=max(one.end - one.start + one.offset for one in same),
        size_bytes=size,
        deleted=about.deleted or size is None,
    )


def _file_system_of(device: str, path: str) -> FileSystemSeen | None:
    """The file system with this device number; of several places where it is mounted, the one above the path."""
    same = [mount for mount in mounts() if mount.device == device]
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


def processor_seen(path: str = "/proc/cpuinfo") -> ProcessorSeen | None:
    """What the processors of this machine can do; None where the system does not tell."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return None
    features = features_of(text)
    if not features:
        return None
    model = _MODEL.search(text)
    return ProcessorSeen(
        architecture=os.uname().machine,
        model=" ".join(model[1].split()) if model else "",
        features=sorted(features),
    )


def features_of(text: str) -> set[str]:
    """What every processor in a text of /proc/cpuinfo can do."""
    found: set[str] | None = None
    for line in text.splitlines():
        name, _, words = line.partition(":")
        if name.strip() in ("flags", "Features"):
            found = set(words.split()) if found is None else found & set(words.split())
    return found or set()
