"""The user's files as they ran: the copies in the recording, and the disk for what has none. Runs after death.

Invariant: a file of the disk stands in for a missing copy only on the machine of the run, where it can be the
same file; recordings of the time before there were copies are read as they were. What may not be what ran is named.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from whydied import source_copy
from whydied.places import names_in
from whydied.records import RunStarted, SourceKept
from whydied.source.text import Source, decoded, read_sources

_NAME = re.compile(r"[0-9a-f]+\.py")
_LARGEST_BYTES = source_copy.LARGEST_BYTES + (64 << 10)
_MOST = 5000


class Texts(NamedTuple):
    """`edited` are files that were changed after the program began, before they were read."""

    sources: dict[str, Source]
    edited: frozenset[str] = frozenset()


class _Copy(NamedTuple):
    head: source_copy.Head
    source: Source


def texts_of(folder: Path, files: set[str], kept: Iterable[SourceKept], started: RunStarted | None) -> Texts:
    """The texts of some files. Of several versions of one, the last that `kept` names."""
    sources: dict[str, Source] = {}
    edited: dict[str, bool] = {}
    for record in kept:
        if record.file in files and (copy := _read(folder, record.copy)) is not None:
            sources[record.file], edited[record.file] = copy.source, record.edited
    began_ns = started.wall_time_s * 1e9 if started else float("inf")
    if files - sources.keys():
        for file, copy in _by_file(folder).items():
            if file in files and file not in sources:
                sources[file], edited[file] = copy.source, copy.head.modified_ns > began_ns
    elsewhere = started is not None and bool(started.hostname) and started.hostname != socket.gethostname()
    if not (elsewhere and folder.is_dir()):
        for file, source in read_sources(files - sources.keys()).items():
            version = source_copy.version_of(file)
            sources[file], edited[file] = source, version is not None and version.modified_ns > began_ns
    return Texts(sources, frozenset(file for file, late in edited.items() if late))


def copied_sources(folder: Path) -> dict[str, Source]:
    """What the recording itself holds, by the paths of the files; nothing of the disk."""
    return {file: copy.source for file, copy in _by_file(folder).items()}


def current_sources(folder: Path, files: set[str]) -> dict[str, Source]:
    """The texts of some files while the program runs: the newest copy of each, or what is on the disk."""
    copies = {file: copy.source for file, copy in _by_file(folder).items() if file in files}
    return {**read_sources(files - copies.keys()), **copies}


def _by_file(folder: Path) -> dict[str, _Copy]:
    """The copies by the paths of their files, of each the version that was changed last."""
    found: dict[str, _Copy] = {}
    for name in names_in(folder)[:_MOST]:
        copy = _read(folder, name)
        if copy is not None:
            known = found.get(copy.head.file)
            if known is None or known.head.modified_ns < copy.head.modified_ns:
                found[copy.head.file] = copy
    return found


def _read(folder: Path, name: str) -> _Copy | None:
    # Names come from the recording, which another user may have made: only plain ones are followed.
    if not _NAME.fullmatch(name):
        return None
    try:
        with open(folder / name, "rb") as stream:
            found = source_copy.decode(stream.read(_LARGEST_BYTES))
    except OSError:
        return None
    return _Copy(found[0], Source(decoded(found[1]))) if found else None
