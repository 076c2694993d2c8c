"""The corpus: programs that fail and healthy ones, each with its truth in a file beside it.

Runs in the harness; `diagnosis.py` and tests/integration/test_programs.py share it. Starts nothing.

`name.expect.toml` beside `name.py` says what is true of the program. Every key may be left out.

    outcome       of the report, or a list of acceptable ones
    death, cause  a rule's name, its code or its family (three letters), or a list of acceptable ones
    family        the same for the cause, where only its family is known
    line          line of the cause; without it, the lines that end in `# <- cause`; any of them is right. In a
                  notebook they count within their cell
    file          the file of that line, relative to this one; the program where left out
    culprit       name of the cause's culprit as the source writes it, or a list of acceptable ones
    near          a name that the cause must offer as what was meant
    rows          rows of the data set that the cause's culprit must have, all and no others
    columns       its columns, the same
    bytes         bytes of the cause's culprit: a number, a size ("800 MB", "1.5 GiB"), or "printed": the last line
                  `held <bytes>` that the program itself wrote, for what grows until it is killed
    bytes_within  the part by which they may differ from the truth; a tenth where left out
    healthy       true: no death, no cause, no findings
    exit_status   of `whydied run`

    program       the file or package to run where it is not `name.py`
    absent        true: the program is missing on purpose
    argv          its arguments
    module        run as `-m module`, in this directory
    command       run as `-- command`; {program} and {python} are filled in
    relative      true: run by a relative path, in this directory
    memory_limit, timeout     options of `whydied run`
    options       more of them, as they are written
    signal, signal_after      a signal that the harness sends once the program printed `<signal_after> <pid>`
    signal_delay  seconds between that line and the signal
    signal_to     "program" or "supervisor"
    small_disk    the size of a file system that the harness mounts; the program finds it in $SMALL_DISK
    live          this program runs in every test run, and stands for this mechanism in this mode
    needs         "tensorflow", "numpy", "cgroup", "mount", "x86_64", "python<3.12", "keras>=3"; elsewhere it is skipped
"""

from __future__ import annotations

import fnmatch
import importlib.metadata
import importlib.util
import os
import platform
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

SUFFIX = ".expect.toml"
MARK = re.compile(r"#\s*<-\s*cause\s*$")
PRINTED = "printed"
_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?([kKMGT]?)(i?)B")
_CGROUP_FILES = ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/cgroup.subtree_control")


class Expectation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    outcome: str | list[str] | None = None
    death: str | list[str] | None = None
    cause: str | list[str] | None = None
    family: str | None = None
    line: int | None = None
    file: str | None = None
    culprit: str | list[str] | None = None
    near: str | None = None
    rows: list[int] | None = None
    columns: list[int] | None = None
    bytes: int | str | None = None
    bytes_within: float = 0.1
    healthy: bool = False
    exit_status: int | None = None
    program: str | None = None
    absent: bool = False
    argv: list[str] = []
    module: str | None = None
    command: list[str] | None = None
    relative: bool = False
    memory_limit: str | None = None
    timeout: str | None = None
    options: list[str] = []
    signal: str | None = None
    signal_after: str = "ready"
    signal_delay: float = 0.3
    signal_to: str = "program"
    small_disk: str | None = None
    live: str | None = None
    needs: list[str] = []

    @property
    def causes(self) -> list[str]:
        """Acceptable names, codes or families of the cause; empty where none is asked for."""
        return listed(self.cause) or listed(self.family)


class Case(NamedTuple):
    """One program with its truth. `lines` are the right lines of `file`; empty where no line is asked for."""

    name: str
    directory: Path
    program: Path
    expected: Expectation
    file: Path | None
    lines: frozenset[int]
    cells: frozenset[tuple[int, int]] = frozenset()
    """The right lines of a notebook: the number of the code cell, from 1, and the line in it."""

    @property
    def label(self) -> str:
        """The expected cause in one word, for tables."""
        return "healthy" if self.expected.healthy else "|".join(self.expected.causes) or "any"

    def lacking(self) -> str | None:
        """What this machine does not have and the program needs."""
        return next((need for need in self.expected.needs if not _has(need)), None)


class _Cell(msgspec.Struct):
    cell_type: str
    source: str | list[str]


class _Notebook(msgspec.Struct):
    cells: list[_Cell]


class ExpectationError(Exception):
    """An expectation that cannot be used, with its file in the message."""


def listed(value: str | list[str] | None) -> list[str]:
    return [value] if isinstance(value, str) else list(value or [])


def size_of(value: int | str) -> int:
    """`800 MB` in powers of 1000, `1.5 GiB` in powers of 1024, or a number of bytes."""
    if isinstance(value, int):
        return value
    found = _SIZE.fullmatch(value.strip())
    if found is None:
        raise ValueError(f"{value!r} is not a size")
    unit: int = (1024 if found[3] else 1000) ** "_KMGT".index(found[2].upper() or "_")
    return round(float(found[1]) * unit)


def load(directory: Path) -> list[Case]:
    """All cases below a directory, by name."""
    return [_case(path, directory) for path in sorted(directory.rglob(f"*{SUFFIX}"))]


def matching(cases: Iterable[Case], patterns: list[str] | None) -> list[Case]:
    """The cases whose names match one of the patterns, like `memory/*`; all of them where there is none."""
    return [case for case in cases if not patterns or any(fnmatch.fnmatch(case.name, one) for one in patterns)]


def _case(path: Path, root: Path) -> Case:
    try:
        expected = msgspec.toml.decode(path.read_bytes(), type=Expectation)
        if expected.bytes not in (None, PRINTED):
            size_of(expected.bytes)
    except (msgspec.MsgspecError, OSError, ValueError) as error:
        raise ExpectationError(f"{path}: {error}") from error
    stem = path.name.removesuffix(SUFFIX)
    program = path.parent / (expected.program or f"{stem}.py")
    if not program.exists() and not expected.absent:
        raise ExpectationError(f"{path}: there is no {program.name} beside it")
    file = path.parent / expected.file if expected.file else program if program.is_file() else None
    name = path.relative_to(root).as_posix().removesuffix(SUFFIX)
    if file is not None and file.suffix == ".ipynb":
        cells = frozenset[tuple[int, int]]() if expected.healthy else _cells(file, path)
        return Case(name, path.parent, program, expected, file, frozenset(), cells)
    return Case(name, path.parent, program, expected, file, _lines(expected, file, path))


def _lines(expected: Expectation, file: Path | None, path: Path) -> frozenset[int]:
    if expected.line is not None:
        return frozenset([expected.line])
    if file is None or expected.healthy:
        return frozenset()
    try:
        text = file.read_text("utf-8")
    except OSError as error:
        raise ExpectationError(f"{path}: {error}") from error
    return frozenset(number for number, line in enumerate(text.splitlines(), 1) if MARK.search(line))


def _cells(file: Path, path: Path) -> frozenset[tuple[int, int]]:
    """The marked lines of a notebook."""
    try:
        cells = msgspec.json.decode(file.read_bytes(), type=_Notebook).cells
    except (msgspec.MsgspecError, OSError) as error:
        raise ExpectationError(f"{path}: {error}") from error
    code = [cell for cell in cells if cell.cell_type == "code"]
    return frozenset(
        (number, line)
        for number, cell in enumerate(code, 1)
        for line, text in enumerate("".join(cell.source).splitlines(), 1)
        if MARK.search(text)
    )


def _has(need: str) -> bool:
    if need.startswith("python<"):
        return sys.version_info[:2] < tuple(int(part) for part in need.removeprefix("python<").split("."))
    if need.startswith("keras>="):
        return _keras() >= tuple(int(part) for part in need.removeprefix("keras>=").split("."))
    if need == "cgroup":
        return any(os.access(file, os.W_OK) for file in _CGROUP_FILES)
    if need == "mount":
        return os.geteuid() == 0 and sys.platform == "linux"
    if need == "x86_64":
        return platform.machine() == "x86_64"
    return importlib.util.find_spec(need) is not None


def _keras() -> tuple[int, ...]:
    """The version of Keras that programs get, empty where there is none; see scripts/compatibility for the switch."""
    if os.environ.get("TF_USE_LEGACY_KERAS") in ("1", "true", "True"):
        return (2,)
    try:
        return tuple(int(part) for part in importlib.metadata.version("keras").split(".")[:2])
    except importlib.metadata.PackageNotFoundError:
        return ()
