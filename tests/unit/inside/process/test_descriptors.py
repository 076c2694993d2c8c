"""Room for our own files where the program has used up its descriptors, in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
