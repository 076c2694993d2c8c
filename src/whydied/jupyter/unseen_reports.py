"""Reports that nobody saw, and deaths that follow each other: what one kernel of a notebook leaves to the next. Runs in
the supervisor.

A small file beside the runs keeps, for each notebook, when its kernels died and the last report that no client took.
The supervisor of the next kernel puts that report into its run's directory, and the recorder inside shows it at the
first cell (`whydied.inside.notebook.cells`), once.

Invariant: a file that cannot be read or written loses a note, nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from whydied.jupyter.death_message import Said
from whydied.places import RunDirectory, replace_whole, unseen_report, working_directory

LOOP_S = 60.0
"""So many deaths within this time are told as a loop of restarts."""
_KEEP_DEATHS = 20
_KEEP_S = 24 * 3600.0
_DIRECTORY = ".kernels"
S = TypeVar("S", bound=msgspec.Struct)


class UnseenReport(msgspec.Struct, frozen=True, kw_only=True):
    """A report in two forms. `keeper` is the file to be removed when it has been shown."""

    html: str
    text: str
    at_s: float = 0.0
    keeper: str = ""


class Living(msgspec.Struct, frozen=True, kw_only=True):
    """The runs of a notebook's kernels that no supervisor has ended yet."""

    runs: list[str] = []


class History(msgspec.Struct, frozen=True, kw_only=True):
    deaths: list[float] = []


class Place:
    """Where the notes about one notebook are, beside the run that is made for it."""

    def __init__(self, mark: str) -> None:
        self._mark = mark

    @classmethod
    def of(cls, notebook: str, kernel: Sequence[str]) -> Place:
        """A notebook has its own; without its name, kernels of one command in one directory share one."""
        words = [notebook] if notebook else [working_directory(), *kernel[:3]]
        return cls(_digest(words))

    def hand_on(self, run: RunDirectory) -> None:
        """Before a kernel starts: give it the report that nobody saw."""
        keeper = self._file(run)
        found = _read(keeper, UnseenReport)
        if found is None:
            return
        if time.time() - found.at_s > _KEEP_S:
            _remove(keeper)
            return
        handed = msgspec.structs.replace(found, keeper=os.fspath(keeper))
        _write(unseen_report(run), handed)

    def begin(self, run: RunDirectory) -> list[RunDirectory]:
        """Note that a kernel lives; the runs of earlier ones that went down together with their supervisors."""
        from whydied.read import life

        file = self._file(run, "living")
        known = _read(file, Living) or Living()
        others = [RunDirectory(run.path.parent / name) for name in known.runs if name != run.id]
        going = [other for other in others if other.path.is_dir() and life.life(other) == "going"]
        _write(file, Living(runs=[*(other.id for other in going), run.id]))
        return [other for other in others if other.path.is_dir() and life.life(other) == "abandoned"]

    def end(self, run: RunDirectory) -> None:
        file = self._file(run, "living")
        left = [name for name in (_read(file, Living) or Living()).runs if name != run.id]
        if left:
            _write(file, Living(runs=left))
        else:
            _remove(file)

    def keep(self, run: RunDirectory, said: Said) -> None:
        """Nobody saw this report: the next kernel shall show it."""
        _write(self._file(run), UnseenReport(html=said.html, text=said.text, at_s=time.time()))

    def forget(self, run: RunDirectory) -> None:
        _remove(self._file(run))

    def died(self, run: RunDirectory, connection_file: str | None) -> int:
        """Note a death; how many there were within a minute, this one included, of kernels that followed each other:
        a restart keeps the connection file."""
        mark = _digest([connection_file]) if connection_file else self._mark
        file, now = run.path.parent / _DIRECTORY / f"{mark}.deaths.json", time.time()
        known = _read(file, History) or History()
        deaths = [*known.deaths[-_KEEP_DEATHS:], now]
        _write(file, History(deaths=deaths))
        _forget_old(file.parent, now - _KEEP_S)
        return sum(1 for at_s in deaths if 0 <= now - at_s <= LOOP_S)

    def _file(self, run: RunDirectory, kind: str = "report") -> Path:
        return run.path.parent / _DIRECTORY / f"{self._mark}.{kind}.json"


def _forget_old(directory: Path, before_s: float) -> None:
    with contextlib.suppress(OSError):
        for path in directory.iterdir():
            if path.stat().st_mtime < before_s:
                _remove(path)


def _digest(words: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogateescape")).hexdigest()[:24]


def _read(path: Path, kind: type[S]) -> S | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError):
        return None


def _write(path: Path, value: msgspec.Struct) -> None:
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, exist_ok=True)
        replace_whole(path, msgspec.json.encode(value))


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
