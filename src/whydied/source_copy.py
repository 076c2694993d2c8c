"""A copy of a file of the user's own code, kept in the recording, and its format: this module is its only description.

Runs in the user's process, where a file is first seen, and in the parent, for what the recorder did not see.

A file `<run>/sources/<number>.py`, readable by its owner only:

    #whydied {"file": "/home/ann/train.py", "modified_ns": …, "bytes": …}
    the bytes of the file as it was, with as many stars for whatever looks like a secret

The name tells the path and its version apart, by the time of the last change and the size, so processes that loaded the
same version share one copy. A copy is written whole under another name first, so that there is all of it or nothing.
What does not fit is not kept at all: half a program is not Python, and nothing could be looked up in it.
"""

from __future__ import annotations

import contextlib
import os
import stat
import zlib
from typing import NamedTuple

import msgspec

from whydied import redact

FOLDER = "sources"
LARGEST_BYTES = 256 << 10
"""Of one file: five thousand lines. What is larger was written by a program, and no report quotes it."""
LARGEST_TOTAL_BYTES = 4 << 20
"""Of a run: as much as the streams of one process may take. Some hundred files of the usual size."""
IMPORTED_TOTAL_BYTES = 3 << 20
"""What was only imported leaves room for what is on the stack when the program dies."""
_MARK = b"#whydied "


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a copy."""

    file: str
    modified_ns: int
    bytes: int


class Version(NamedTuple):
    """A file as the system described it when it was looked at."""

    modified_ns: int
    size_bytes: int


class NotKept(Exception):
    """The copies are as large as they may be together, or the file alone is."""


def version_of(file: str) -> Version | None:
    """None where there is no regular file."""
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    return Version(status.st_mtime_ns, status.st_size) if stat.S_ISREG(status.st_mode) else None


def keep(run: str, file: str, version: Version, most_bytes: int = LARGEST_TOTAL_BYTES) -> str:
    """Copy a file into a run, unless this version of it is there; the name of the copy. Raises NotKept where it has no
    room, OSError where it cannot be read or written or changes meanwhile."""
    if version.size_bytes > LARGEST_BYTES:
        raise NotKept(f"{file} has more than {LARGEST_BYTES >> 10} KiB")
    folder = os.path.join(run, FOLDER)
    name = f"{zlib.crc32(os.fsencode(file)):08x}{zlib.crc32(repr(tuple(version)).encode()):08x}.py"
    target = os.path.join(folder, name)
    if os.path.exists(target):
        return name
    data = encode(Head(file=file, modified_ns=version.modified_ns, bytes=0), redact.source(_read(file, version)))
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    with os.scandir(folder) as entries:
        if sum(entry.stat().st_size for entry in entries) + len(data) > most_bytes:
            raise NotKept(f"the copies of the program's files reached {most_bytes >> 20} MiB")
    unfinished = f"{target}.{os.getpid()}"
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        try:
            if os.write(descriptor, data) < len(data):
                raise OSError("the disk is full")
        finally:
            os.close(descriptor)
        os.replace(unfinished, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)
        raise
    return name


def encode(head: Head, code: bytes) -> bytes:
    described = msgspec.structs.replace(head, bytes=len(code))
    try:
        line = msgspec.json.encode(described)
    except UnicodeEncodeError:
        # A path of bytes that are not text.
        name = head.file.encode("utf-8", "backslashreplace").decode()
        line = msgspec.json.encode(msgspec.structs.replace(described, file=name))
    return _MARK + line + b"\n" + code


def decode(data: bytes) -> tuple[Head, bytes] | None:
    """The head and the code of a copy, or None for what is not one or is not whole."""
    line, _, code = data.partition(b"\n")
    if not line.startswith(_MARK):
        return None
    try:
        head = msgspec.json.decode(line[len(_MARK) :], type=Head)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return (head, code) if len(code) == head.bytes else None


def _read(file: str, version: Version) -> bytes:
    # Not blocking: between the look at it and now it may have become a pipe.
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        data = os.read(descriptor, version.size_bytes + 1)
        status = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if Version(status.st_mtime_ns, status.st_size) != version or len(data) != version.size_bytes:
        raise OSError("the file is being changed")
    return data
