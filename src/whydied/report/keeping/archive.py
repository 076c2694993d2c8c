"""A redacted copy of a run as one .tar.gz, to share. Runs in the parent, only when the user asks.

Invariant: only what this module rewrote goes in. Records of kinds that it does not know, captured
data and files it has no rule for stay behind; the archive is new or not written at all.
"""

from __future__ import annotations

import io
import os
import tarfile
import time
from pathlib import Path
from typing import NamedTuple

import msgspec

from whydied import __version__, source_copy, wire
from whydied.errors import NoRoom, UsageError
from whydied.places import RunDirectory
from whydied.records import OutputWritten, Record, RunStarted
from whydied.report.keeping.anonymous import Anonymiser
from whydied.report.summary import Report, as_json

_README = """A recording of a program's run, made by whydied {version}, with what names a person or a
machine replaced.

Unpack it and read it with:

    whydied show PATH-OF-THIS-DIRECTORY --all

What is in it
  report.json  how the program ended, why, and the evidence
  streams/     what was recorded: memory samples, calls, steps, exceptions, lines of code that ran
  faults/      the Python stacks of crashed processes, if there were any
  sources/     the program's own files as they ran, unless they were left out

What was replaced: the user's name, home directories, the host's name, and what looks like a key, a token or
a password. What can still tell about you: paths and names of files, the program's code in sources/ and
single lines of it elsewhere, messages of exceptions, names of variables with their types and shapes,
arguments of the program. Look through report.json and sources/ before you publish it.

What was left out
{omitted}
"""


class Exported(NamedTuple):
    """`omitted` has a line for each kind of thing that was left out."""

    path: Path
    size_bytes: int
    omitted: list[str]


def export(
    directory: RunDirectory, report: Report, target: Path, *, with_output: bool = False, with_sources: bool = True
) -> Exported:
    """Write the archive. An existing file is never replaced."""
    anonymiser = Anonymiser.of(directory.path, _hostname(directory))
    run_id = anonymiser.file_name(directory.id)
    members = {"report.json": as_json(_clean_report(report, anonymiser, run_id))}
    streams, omitted = _streams(directory, anonymiser, run_id, with_output)
    members |= streams
    members |= _faults(directory, anonymiser)
    if with_sources:
        members |= _sources(directory, anonymiser)
    else:
        omitted.append("the program's own files (single lines of them are in the report and the records)")
    omitted.append("captured data, core dumps and any other file of the run")
    omitted.append("the environment of the program (it is never recorded)")
    listed = "\n".join(f"  {line}" for line in omitted)
    members["README.txt"] = _README.format(version=__version__, omitted=listed).encode()
    _write(target, run_id, members)
    return Exported(target, target.stat().st_size, omitted)


def _clean_report(report: Report, anonymiser: Anonymiser, run_id: str) -> Report:
    clean = anonymiser.value(report)
    return msgspec.structs.replace(clean, run=msgspec.structs.replace(clean.run, id=run_id, directory=""))


def _hostname(directory: RunDirectory) -> str:
    for path in sorted(directory.streams.glob("supervisor.key.*.rec")):
        for entry in wire.read_segment(path.read_bytes()).entries:
            if isinstance(entry.record, RunStarted):
                return entry.record.hostname
    return ""


def _streams(
    directory: RunDirectory, anonymiser: Anonymiser, run_id: str, with_output: bool
) -> tuple[dict[str, bytes], list[str]]:
    members: dict[str, bytes] = {}
    dropped = unknown = 0
    for path in sorted(directory.streams.glob("*.rec")):
        segment = wire.read_segment(path.read_bytes())
        unknown += segment.unknown
        started_ns = segment.entries[0].at_ns if segment.entries else 0
        parts = [wire.header(segment.number, segment.pid, started_ns)]
        for entry in segment.entries:
            if isinstance(entry.record, OutputWritten) and not with_output:
                dropped += len(entry.record.data)
                continue
            parts.append(wire.frame(entry.at_ns, entry.number, _clean(entry.record, anonymiser, run_id)))
        members[f"streams/{path.name}"] = b"".join(parts)
    omitted = [] if with_output else [f"what the program printed ({dropped} bytes recorded; --with-output adds it)"]
    if unknown:
        omitted.append(f"{unknown} records of kinds that this whydied does not know")
    return members, omitted


def _clean(record: Record, anonymiser: Anonymiser, run_id: str) -> Record:
    if isinstance(record, OutputWritten):
        text = anonymiser.text(record.data.decode("utf-8", "replace"))
        return OutputWritten(channel=record.channel, data=text.encode())
    clean = anonymiser.value(record)
    return msgspec.structs.replace(clean, run_id=run_id) if isinstance(clean, RunStarted) else clean


def _faults(directory: RunDirectory, anonymiser: Anonymiser) -> dict[str, bytes]:
    return {
        f"faults/{path.name}": anonymiser.text(path.read_bytes().decode("utf-8", "replace")).encode()
        for path in sorted(directory.faults.glob("*.txt"))
    }


def _sources(directory: RunDirectory, anonymiser: Anonymiser) -> dict[str, bytes]:
    members: dict[str, bytes] = {}
    for path in sorted(directory.sources.glob("*.py")):
        found = source_copy.decode(path.read_bytes())
        if found is not None:
            head, code = found
            named = msgspec.structs.replace(head, file=anonymiser.text(head.file))
            members[f"{source_copy.FOLDER}/{path.name}"] = source_copy.encode(named, anonymiser.code(code))
    return members


def _write(target: Path, run_id: str, members: dict[str, bytes]) -> None:
    try:
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError as error:
        raise UsageError(f"{target} exists and is not replaced", "name another file with -o FILE") from error
    except OSError as error:
        raise NoRoom(f"cannot write {target}: {error.strerror or error}", "name another file with -o FILE") from error
    try:
        with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w:gz") as archive:
            for folder in ("", "/streams", "/faults", f"/{source_copy.FOLDER}"):
                entry = tarfile.TarInfo(f"{run_id}{folder}")
                entry.type, entry.mode, entry.mtime = tarfile.DIRTYPE, 0o700, int(time.time())
                archive.addfile(entry)
            for name, data in members.items():
                entry = tarfile.TarInfo(f"{run_id}/{name}")
                entry.size, entry.mode, entry.mtime = len(data), 0o600, int(time.time())
                archive.addfile(entry, io.BytesIO(data))
    except OSError as error:
        target.unlink(missing_ok=True)
        raise NoRoom(f"cannot write {target}: {error.strerror or error}", "name another file with -o FILE") from error
    except BaseException:
        target.unlink(missing_ok=True)
        raise
