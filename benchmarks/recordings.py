"""The recordings of the corpus: what a run of each program left, small enough for the repository.

Runs in the harness. `tests/recordings/<name>.tar.xz` holds what the diagnosis reads and nothing else:

    trial.json   what the harness saw of the run itself
    run/         the run's directory: streams without their empty ends, faults, graphs, sources, what the machine said
                 afterwards, and of captured steps what was found by running them again

Everything in it is made neutral (`neutral.py`). Reading one needs neither TensorFlow nor the machine of the run.
"""

from __future__ import annotations

import io
import lzma
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

import neutral
from corpus import Case
from trial import Trial
from whydied import redact, source_copy, wire
from whydied.errors import RecordingError
from whydied.graph import op_table
from whydied.places import RunDirectory
from whydied.read.recording import Aftermath
from whydied.records import Capture, Replay

PROGRAMS = neutral.PROJECT / "tests" / "programs"
STORED = neutral.PROJECT / "tests" / "recordings"
SUFFIX = ".tar.xz"
_LAST_BYTES = 2000
_KINDS: dict[str, Any] = {"step.json": Capture, "replay.json": Replay}
# Text and small numbers: nothing in it is aligned.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "pb": 0}]


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """The harness's part of a trial. `printed` is the end of what the program wrote to standard output."""

    status: int | None
    printed: str
    wall_s: float


class Stored(msgspec.Struct, frozen=True):
    seen: Seen
    directory: Path

    @property
    def run(self) -> RunDirectory:
        return RunDirectory(self.directory / "run")


def path_of(name: str) -> Path:
    return STORED / f"{name}{SUFFIX}"


def stored_names() -> list[str]:
    return sorted(path.relative_to(STORED).as_posix().removesuffix(SUFFIX) for path in STORED.rglob(f"*{SUFFIX}"))


def pack(run: RunDirectory, trial: Trial) -> bytes:
    """The archive of a run."""
    printed = trial.stdout[-_LAST_BYTES:].decode("utf-8", "replace")
    seen = Seen(status=trial.status, printed=neutral.text(printed), wall_s=round(trial.wall_s, 1))
    members = [("trial.json", msgspec.json.encode(seen)), *((f"run/{name}", data) for name, data in _members(run))]
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in members:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o600
            archive.addfile(entry, io.BytesIO(data))
    return lzma.compress(plain.getvalue(), check=lzma.CHECK_CRC32, filters=_FILTERS)


def unpack(data: bytes, directory: Path) -> Stored:
    """The archive as a run's directory again, below a directory that exists."""
    with tarfile.open(fileobj=io.BytesIO(lzma.decompress(data))) as archive:
        for entry in archive:
            target = directory / entry.name
            target.parent.mkdir(parents=True, exist_ok=True)
            stream = archive.extractfile(entry)
            assert stream is not None
            target.write_bytes(stream.read())
    seen = msgspec.json.decode((directory / "trial.json").read_bytes(), type=Seen)
    return Stored(seen, directory)


def neutral_case(case: Case) -> Case:
    """A case of the repository as it is named in its recording."""
    if case.file is None:
        return case
    return case._replace(file=neutral.PLACE / case.file.relative_to(PROGRAMS))


def is_stale(case: Case, stored: Stored) -> bool:
    """Whether the program has been edited since it was recorded."""
    copies: dict[str, list[bytes]] = {}
    for path in stored.run.sources.glob("*.py"):
        found = source_copy.decode(path.read_bytes())
        if found is not None:
            copies.setdefault(found[0].file, []).append(found[1])
    for file in {case.program, case.file} - {None}:
        assert file is not None
        recorded = copies.get(str(neutral.PLACE / file.relative_to(PROGRAMS)))
        if recorded and neutral.code(redact.source(file.read_bytes())) not in recorded:
            return True
    return False


def _members(run: RunDirectory) -> Iterator[tuple[str, bytes]]:
    for path in sorted(run.streams.glob("*.rec")):
        yield f"streams/{path.name}", _segment(path.read_bytes())
    for path in sorted(run.faults.glob("*.txt")):
        yield f"faults/{path.name}", neutral.code(path.read_bytes())
    for path in sorted(run.sources.glob("*.py")):
        found = source_copy.decode(path.read_bytes())
        if found is not None:
            yield f"sources/{path.name}", source_copy.encode(neutral.value(found[0]), neutral.code(found[1]))
    for path in sorted((run.path / "graphs").glob("*.bin")):
        yield f"graphs/{path.name}", _uncompressed(op_table.encode(neutral.value(op_table.decode(path.read_bytes()))))
    for path in sorted((run.path / "numerics").glob("*/*.json")):
        if path.name in _KINDS:
            found_out = msgspec.json.decode(path.read_bytes(), type=_KINDS[path.name])
            yield f"numerics/{path.parent.name}/{path.name}", msgspec.json.encode(neutral.value(found_out))
    if run.aftermath.exists():
        found_after = msgspec.json.decode(run.aftermath.read_bytes(), type=Aftermath)
        yield run.aftermath.name, msgspec.json.encode(neutral.value(found_after))


def _uncompressed(graph: bytes) -> bytes:
    """A table of ops, see `whydied.graph.op_table`, in a form that xz can compress."""
    return graph[:10] + zlib.compress(zlib.decompress(graph[10:]), 0)


def _segment(data: bytes) -> bytes:
    read = wire.read_segment(data)
    if read.unknown:
        raise RecordingError(f"{read.unknown} records of an unknown kind")
    began_ns = read.entries[0].at_ns if read.entries else 0
    frames = [wire.frame(entry.at_ns, entry.number, neutral.value(entry.record)) for entry in read.entries]
    return b"".join([wire.header(read.number, read.pid, began_ns), *frames])


def leaks(data: bytes) -> list[str]:
    """What of this machine is in an archive, for a look before it is kept."""
    return neutral.leaks(lzma.decompress(data))
