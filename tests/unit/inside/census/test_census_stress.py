"""A census reads the frames and objects of threads that go on running."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.alone
def test_a_busy_program_survives_many_censuses() -> None:
    program = Path(__file__).with_name("census_under_fire.py")
    done = subprocess.run([sys.executable, program], capture_output=True, timeout=150, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    assert done.stdout in (b"survived\n", b"too slow\n")
