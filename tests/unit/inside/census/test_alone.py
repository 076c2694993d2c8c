"""Tests of the census look at all objects of their process, so each module has a process to itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.parametrize("module", sorted(path.name for path in HERE.glob("alone_*.py")))
def test_in_a_process_of_its_own(module: str, project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(HERE / module)],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout
