"""A tree of files that must stay as it is, and programs that run in a sandbox beside it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from whydied.prove import sandbox
from whydied.prove.sandbox import Mechanism, Wanted
from whydied.prove.sandbox.wanted import NAMES, Name

both = pytest.mark.parametrize("name", NAMES)

_BEGINNING = """
import contextlib, ctypes, mmap, os, shutil, signal, socket, subprocess, sys, tempfile, time
T = os.environ["TREE"]
libc = ctypes.CDLL(None)
tried = contextlib.suppress(OSError)
"""


class Ended(NamedTuple):
    status: int
    stdout: str
    stderr: str


class Place:
    """`tree` is the user's directory, which the programs run in; `scratch` is the sandbox's."""

    def __init__(self, directory: Path, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.directory = directory
        self.tree, self.scratch = directory / "tree", directory / "scratch"
        self.scratch.mkdir()
        plant(self.tree)
        self.before = snapshot(self.tree)

    def command(self, program: str, *words: str, **wanted: Any) -> list[str]:
        script = self.directory / "program.py"
        script.write_text(textwrap.dedent(program))
        return self.entered([sys.executable, str(script), *words], **wanted)

    def entered(self, argv: list[str], **wanted: Any) -> list[str]:
        asked = Wanted(str(self.scratch), project=str(self.tree), **wanted)
        return sandbox.entered(asked, argv, self.mechanism)

    def run(self, program: str, *words: str, **wanted: Any) -> Ended:
        """Run a program in the tree, then clear."""
        try:
            return self.ended(self.command(program, *words, **wanted))
        finally:
            sandbox.clear(str(self.scratch))

    def ended(self, argv: list[str], **options: Any) -> Ended:
        done = subprocess.run(
            argv,
            cwd=self.tree,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=options.pop("stdin", subprocess.DEVNULL),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            **options,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def is_unchanged(self) -> bool:
        after = snapshot(self.tree)
        assert after == self.before
        return True


def place(directory: Path, name: Name) -> Place:
    found = sandbox.mechanism(among=(name,))
    if found is None:
        pytest.skip(f"{name} do not work on this kernel or are forbidden here")
    return Place(directory, found)


def plant(tree: Path) -> None:
    (tree / "sub" / "empty").mkdir(parents=True)
    (tree / "data.csv").write_text("a,b\n1,2\n")
    (tree / "sub" / "weights.bin").write_bytes(bytes(range(256)) * 64)
    (tree / "model.py").write_text("RATE = 0.5\n")
    (tree / "link").symlink_to("data.csv")
    os.link(tree / "data.csv", tree / "sub" / "second_name.csv")
    (tree / "tool.sh").write_text("#!/bin/sh\necho tool\n")
    (tree / "tool.sh").chmod(0o755)
    (tree / "read_only.txt").write_text("kept")
    (tree / "read_only.txt").chmod(0o444)
    for path in sorted(tree.rglob("*"), reverse=True):
        os.utime(path, (1_700_000_000, 1_700_000_000), follow_symlinks=False)


def snapshot(tree: Path) -> dict[str, tuple[object, ...]]:
    """Names, modes, owners, times, links and contents."""
    found: dict[str, tuple[object, ...]] = {}
    for path in [tree, *sorted(tree.rglob("*"))]:
        seen = path.lstat()
        if path.is_symlink():
            content = os.readlink(path)
        elif path.is_dir():
            content = ",".join(sorted(os.listdir(path)))
        elif not path.is_file():
            content = "special"
        else:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        attributes = [(name, os.getxattr(path, name)) for name in os.listxattr(path, follow_symlinks=False)]
        found[str(path.relative_to(tree))] = (
            seen.st_mode,
            seen.st_uid,
            seen.st_gid,
            seen.st_size,
            seen.st_mtime_ns,
            seen.st_ctime_ns,
            seen.st_ino,
            seen.st_nlink,
            content,
            attributes,
        )
    return found


def hostile(text: str) -> str:
    """A program with all that an attack needs at hand, which says that it came to its end."""
    return f"{_BEGINNING}\n{textwrap.dedent(text)}\nprint('tried')"
