"""The files that are checked, and those of the same project that they import. Runs in the parent; reads files.

Invariant: a file is read and parsed once. What cannot be read or is not Python is one error, never an exception.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from whydied.lint.checking import Checked, LintError, LintFinding, check_unit
from whydied.lint.joined_cells import joined
from whydied.lint.static_rule import StaticRule
from whydied.lint.unit import Unit
from whydied.source.text import Source, decoded, parsed

LARGEST_BYTES = 16 << 20
SKIPPED = frozenset(
    {"__pycache__", "build", "dist", "node_modules", "site-packages", "venv", "env", "virtualenv", "wheels"}
)
_ENDINGS = (".py", ".ipynb")
_PACKAGES_FURTHEST = 8


def files_of(paths: Iterable[Path], exclude: Sequence[str] = ()) -> Iterator[Path]:
    """Files as they are given, directories with all below them but hidden ones, builds and virtual environments."""
    seen: set[str] = set()
    for path in paths:
        for file in _below(path) if path.is_dir() else [path]:
            real = os.path.realpath(file)
            if real in seen or (path.is_dir() and _is_excluded(file, exclude)):
                continue
            seen.add(real)
            yield file


def _below(top: Path) -> Iterator[Path]:
    for folder, names, files in os.walk(top):
        names[:] = sorted(
            name
            for name in names
            if not name.startswith(".")
            and name not in SKIPPED
            and not name.endswith(".egg-info")
            and not os.path.exists(os.path.join(folder, name, "pyvenv.cfg"))
        )
        for name in sorted(files):
            if name.endswith(_ENDINGS) and not name.startswith("."):
                yield Path(folder, name)


def _is_excluded(file: Path, patterns: Sequence[str]) -> bool:
    text = file.as_posix()
    return any(
        fnmatch.fnmatch(text, pattern)
        or fnmatch.fnmatch(text, f"*/{pattern}")
        or f"/{pattern.strip('/')}/" in f"/{text}"
        for pattern in patterns
    )


class Project:
    """The units of a run of `whydied lint`, by their real paths."""

    def __init__(self) -> None:
        self._units: dict[str, tuple[Unit | None, list[LintError]]] = {}

    def unit(self, file: Path) -> tuple[Unit | None, list[LintError]]:
        """A file to be checked, or None; and what of it was not read."""
        real = os.path.realpath(file)
        if real not in self._units:
            self._units[real] = self._read(file)
        return self._units[real]

    def _read(self, file: Path) -> tuple[Unit | None, list[LintError]]:
        name = str(file)
        try:
            with open(file, "rb") as stream:
                data = stream.read(LARGEST_BYTES + 1)
        except OSError as error:
            return None, [LintError(file=name, message=f"cannot be read: {error.strerror or error}")]
        if len(data) > LARGEST_BYTES:
            return None, [LintError(file=name, message="is too large to check")]
        if name.endswith(".ipynb"):
            return self._notebook(file, data)
        text = decoded(data)
        try:
            tree = parsed(text)
        except SyntaxError as error:
            return None, [LintError(file=name, line=error.lineno, message=f"is not valid Python: {error.msg}")]
        except (ValueError, RecursionError, MemoryError) as error:
            return None, [LintError(file=name, message=f"cannot be parsed: {error or type(error).__name__}")]
        return Unit(name, Source(text, tree), follow=_Imports(self, file).follow), []

    def _notebook(self, file: Path, data: bytes) -> tuple[Unit | None, list[LintError]]:
        name = str(file)
        try:
            found = joined(data)
        except (ValueError, RecursionError) as error:
            return None, [LintError(file=name, message=f"is not a notebook: {error}")]
        errors = [
            LintError(file=name, line=one.line, cell=one.cell, message=f"is not valid Python: {one.message}")
            for one in found.errors
        ]
        unit = Unit(name, found.source, found.cells, _Imports(self, file).follow)
        unit.memory["defines unseen"] = found.defines_unseen
        return unit, errors


class _Imports:
    """Where the imports of one file lead."""

    def __init__(self, project: Project, file: Path) -> None:
        self._project = project
        self._file = file

    def follow(self, module: str, level: int, name: str) -> Unit | None:
        """The file of `from module import name`, below the file's own directory or the packages around it."""
        parts = [part for part in module.split(".") if part]
        folder = self._file.parent
        if level:
            for _ in range(level - 1):
                folder = folder.parent
            return self._at(folder, parts, name)
        for _ in range(_PACKAGES_FURTHEST):
            found = self._at(folder, parts, name) if parts else None
            if found is not None or not (folder / "__init__.py").exists() or folder.parent == folder:
                return found
            folder = folder.parent
        return None

    def _at(self, folder: Path, parts: list[str], name: str) -> Unit | None:
        base = folder.joinpath(*parts)
        for candidate in (
            base.with_suffix(".py") if parts else None,
            base / f"{name}.py" if name else None,
            base / "__init__.py",
        ):
            if candidate is not None and candidate.is_file() and candidate.resolve() != self._file.resolve():
                return self._project.unit(candidate)[0]
        return None


def check_files(files: Iterable[Path], rules: Sequence[StaticRule]) -> Checked:
    """Every finding in these files, file by file."""
    project = Project()
    findings: list[LintFinding] = []
    errors: list[LintError] = []
    number = lines = 0
    for file in files:
        unit, unread = project.unit(file)
        errors += unread
        number += 1
        if unit is None:
            continue
        lines += len(unit.source.lines)
        found, failed = check_unit(unit, rules)
        findings += found
        errors += failed
    return Checked(findings, number, lines, errors)
