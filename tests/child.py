"""Runs a Python program with and without the recorder inside, as the supervisor starts it, and reads what it left."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from trial import ABSENT
from whydied import records, wire

BOOTSTRAP = Path(wire.__file__).parent / "inside" / "bootstrap"
HOME = Path(wire.__file__).parent.parent

_R = TypeVar("_R", bound=records.Record)


class Ended(NamedTuple):
    """How a process ended, and what it wrote."""

    status: int
    stdout: str
    stderr: str


class Recorded(NamedTuple):
    ended: Ended
    run: Path

    def entries(self) -> list[tuple[int, records.Record]]:
        """All records with the pid of their writer, in the order of time."""
        found: list[tuple[int, int, records.Record]] = []
        for path in sorted((self.run / "streams").glob("*.rec")):
            segment = wire.read_segment(path.read_bytes())
            assert segment.torn is None
            assert segment.unknown == 0
            found += [(entry.at_ns, segment.pid, entry.record) for entry in segment.entries]
        return [(pid, record) for _, pid, record in sorted(found, key=lambda entry: entry[0])]

    def all(self, kind: type[_R]) -> list[_R]:
        return [record for _, record in self.entries() if isinstance(record, kind)]

    def one(self, kind: type[_R]) -> _R:
        found = self.all(kind)
        assert len(found) == 1, [type(record).__name__ for _, record in self.entries()]
        return found[0]

    def capture(self, step: records.StepCaptured) -> tuple[records.Capture, Path]:
        """What was kept of a step, and the directory that it lies in."""
        directory = self.run / step.directory
        return msgspec.json.decode((directory / "step.json").read_bytes(), type=records.Capture), directory


def write(directory: Path, text: str, name: str = "program.py") -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    path.write_text(textwrap.dedent(text).lstrip("\n"))
    return path


def plain(*command: str | Path, cwd: Path, env: dict[str, str] | None = None, timeout_s: float = 120) -> Ended:
    """The program as it is."""
    return _start(command, cwd, {**_clean(), **(env or {})}, timeout_s)


def inside(
    *command: str | Path, cwd: Path, run: Path, env: dict[str, str] | None = None, timeout_s: float = 120
) -> Recorded:
    """The program with the recorder in each of its processes."""
    (run / "streams").mkdir(parents=True)
    (run / "faults").mkdir()
    ours = {"PYTHONPATH": f"{BOOTSTRAP}{os.pathsep}{ABSENT}", "WHYDIED_RUN": str(run), "WHYDIED_HOME": str(HOME)}
    return Recorded(_start(command, cwd, {**_clean(), **ours, **(env or {})}, timeout_s), run)


def _start(command: tuple[str | Path, ...], cwd: Path, env: dict[str, str], timeout_s: float) -> Ended:
    words = [str(word) for word in command]
    if words[0].endswith(".py") or words[0].startswith("-"):
        words.insert(0, sys.executable)
    done = subprocess.run(
        words, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout_s, check=False
    )
    return Ended(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def _clean() -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WHYDIED_")}
    return {**environment, "PYTHONPATH": str(ABSENT), "PYTHONDONTWRITEBYTECODE": "1"}
