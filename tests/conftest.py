"""Shared by all tests: where the project is, and a `whydied` command that leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# The checker of the corpus is one implementation, and lives with the benchmark that uses it too.
sys.path.insert(0, str(ROOT / "benchmarks"))

# A developer's own settings must not decide what the tests see.
for _name in [name for name in os.environ if name.startswith("WHYDIED_")]:
    del os.environ[_name]

# A run in the background of a shell ignores these, and programs that we start would inherit that.
for _number, _handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGQUIT, signal.SIG_DFL),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, _handler)

Completed = subprocess.CompletedProcess[bytes]


@pytest.fixture(scope="session")
def project() -> Path:
    """The root of the working tree."""
    return ROOT


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A directory of runs for one test."""
    return tmp_path / "runs"


@pytest.fixture
def whydied(runs: Path, tmp_path: Path) -> Callable[..., Completed]:
    """Calls the command line in a process of its own: `whydied("show", "--json")`."""

    def call(*words: str | Path, cwd: Path | None = None, timeout_s: float = 120) -> Completed:
        environment = {**os.environ, "WHYDIED_RUNS": str(runs), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [sys.executable, "-m", "whydied", *map(str, words)],
            cwd=cwd or tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )

    return call
