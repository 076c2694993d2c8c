"""What the descriptors of a process lead to, and room for our own files where the program has used them up."""

from __future__ import annotations

import errno
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from whydied.inside.process import descriptors

PROGRAM = """
import os, resource
from whydied.inside.process import descriptors
resource.setrlimit(resource.RLIMIT_NOFILE, (60, {hard}))
before = resource.getrlimit(resource.RLIMIT_NOFILE)
opened = []
try:
    while {fill}:
        opened.append(os.open("/", os.O_RDONLY))
except OSError:
    pass
with descriptors.room():
    inside = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        os.close(os.open("/", os.O_RDONLY))
        print("opened")
    except OSError:
        print("refused")
print(inside == before, resource.getrlimit(resource.RLIMIT_NOFILE) == before)
"""


@pytest.mark.parametrize(
    ("hard", "fill", "said"),
    [(200, True, "opened\nFalse True\n"), (60, True, "refused\nTrue True\n"), (200, False, "opened\nTrue True\n")],
)
def test_the_limit_is_raised_only_where_nothing_is_left(hard: int, fill: bool, said: str) -> None:
    argv = [sys.executable, "-c", PROGRAM.format(hard=hard, fill=fill)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == said


def test_files_are_counted_by_directory_and_ending(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.npy").touch()
    files = [path.open("rb") for path in sorted(tmp_path.iterdir())]
    try:
        counted = descriptors.counted()
    finally:
        for file in files:
            file.close()
    assert counted is not None
    assert counted.limit == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    groups = {group.what: (group.kind, group.count) for group in counted.groups}
    assert groups[f"{tmp_path}/*.npy"] == ("file", 5)


def test_a_refusal_is_found_below_what_a_library_raised() -> None:
    refused = OSError(errno.EMFILE, "Too many open files")
    above = RuntimeError("cannot start")
    above.__context__ = refused
    assert descriptors.are_refused(above)
    assert not descriptors.are_refused(OSError(errno.ENOENT, "No such file"))
    assert not descriptors.are_refused(None)
