"""Installed packages, from the papers that installers leave beside them. Runs in the parent; imports none of them.

Invariant: papers that are missing, torn or doubled do not raise; what they lack is empty. The package that
Python would import is the first on the path, so it is the first here.
"""

from __future__ import annotations

import csv
import io
import mmap
import re
from collections.abc import Iterable, Iterator, Sequence
from email.parser import HeaderParser
from pathlib import Path
from typing import NamedTuple

from whydied.places import names_in

TENSORFLOW = (
    "tensorflow",
    "tensorflow-cpu",
    "tensorflow-gpu",
    "tensorflow-intel",
    "tensorflow-macos",
    "tensorflow-rocm",
    "tensorflow-cpu-aws",
    "intel-tensorflow",
    "intel-tensorflow-avx512",
    "tf-nightly",
    "tf-nightly-cpu",
    "tf-nightly-gpu",
)
KERAS = ("keras", "keras-nightly", "tf-keras", "tf-keras-nightly")


class Distribution(NamedTuple):
    """`name` is normalised (lower case, dashes); `directory` is where its modules are, `papers` its `.dist-info`."""

    name: str
    version: str
    requires: tuple[str, ...]
    requires_python: str
    directory: Path
    papers: Path

    @property
    def shown(self) -> str:
        return f"{self.name} {self.version}"

    def files(self) -> list[str]:
        """What was installed, relative to `directory`; empty where no list was left."""
        text = _text(self.papers / "RECORD")
        try:
            return [row[0] for row in csv.reader(io.StringIO(text)) if row and row[0]]
        except csv.Error:
            return []

    def tags(self) -> list[str]:
        """For which Pythons and systems the wheel was built, such as `cp311-cp311-manylinux_2_17_x86_64`."""
        lines = _text(self.papers / "WHEEL").splitlines()
        return [tag for line in lines if line.startswith("Tag:") for tag in _expanded(line[4:].strip())]


class Installed(NamedTuple):
    """Everything on a path. `hidden` are further papers for a name that has some already."""

    all: tuple[Distribution, ...]
    hidden: tuple[Distribution, ...]

    def get(self, name: str) -> Distribution | None:
        wanted = normalised(name)
        return next((one for one in self.all if one.name == wanted), None)

    def first(self, names: Iterable[str]) -> Distribution | None:
        return next(iter(self.some(names)), None)

    def some(self, names: Iterable[str]) -> list[Distribution]:
        return [found for name in names if (found := self.get(name)) is not None]


def installed(paths: Sequence[Path]) -> Installed:
    first: dict[str, Distribution] = {}
    hidden: list[Distribution] = []
    for path in paths:
        for one in _at(path):
            if one.name in first:
                hidden.append(one)
            else:
                first[one.name] = one
    return Installed(tuple(first.values()), tuple(hidden))


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def numbers(version: str) -> tuple[int, int, int]:
    """The first three numbers of a version, 0 for those that it does not have."""
    major, minor, patch = [*(int(part) for part in re.findall(r"\d+", version)[:3]), 0, 0, 0][:3]
    return major, minor, patch


def contains(path: Path, text: bytes) -> bool | None:
    """Whether a binary has some text in it; None where it cannot be read."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return data.find(text) >= 0
    except (OSError, ValueError):
        return None


def _at(path: Path) -> Iterator[Distribution]:
    for name in names_in(path):
        if name.endswith((".dist-info", ".egg-info")) and not name.startswith("~"):
            yield _read(path, path / name)


def _read(directory: Path, papers: Path) -> Distribution:
    text = _text(papers / "METADATA") or _text(papers / "PKG-INFO") or _text(papers)
    headers = HeaderParser().parsestr(text)
    stem = papers.name.rpartition(".")[0]
    name, _, version = stem.partition("-")
    return Distribution(
        name=normalised(str(headers.get("Name") or name)),
        version=str(headers.get("Version") or version.partition("-")[0]),
        requires=tuple(str(value) for value in headers.get_all("Requires-Dist") or ()),
        requires_python=str(headers.get("Requires-Python") or ""),
        directory=directory,
        papers=papers,
    )


def _expanded(tag: str) -> Iterator[str]:
    """A tag may stand for several: `py2.py3-none-any`."""
    parts = [part.split(".") for part in tag.split("-")]
    if len(parts) == 3:
        yield from (f"{python}-{abi}-{system}" for python in parts[0] for abi in parts[1] for system in parts[2])


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
