"""Shared by all tests: where the project is, and a `whydied` command that leaves nothing behind."""

from __future__ import annotations

import fcntl
import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from tests import layers, misses

ROOT = Path(__file__).resolve().parent.parent
# The checker of the corpus is one implementation, and lives with the benchmark that uses it too.
sys.path.insert(0, str(ROOT / "benchmarks"))
importlib.import_module("foreground").heed_signals()

# A developer's own settings must not decide what the tests see.
for _name in [name for name in os.environ if name.startswith("WHYDIED_")]:
    del os.environ[_name]

# A worker of pytest-xdist has the width of the terminal that the tests were started in.
os.environ.pop("COLUMNS", None)

# TensorFlow decides by the processor whether it uses oneDNN; the tests see the same kernels and allocator everywhere.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")

# How fast an example runs says something of the machine, not of the code; and each run tries the same examples, so that
# a failure is news of a change. `scripts/corpus` tries others.
hypothesis.settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.register_profile("exploring", hypothesis.settings.get_profile("steady"), derandomize=False)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

Completed = subprocess.CompletedProcess[bytes]
pytest_xdist_make_scheduler = layers.scheduler
pytest_runtest_protocol = misses.judge_again


@pytest.fixture(autouse=True)
def _turn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A test that is marked `alone` measures something, and runs while no other worker runs any."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        yield
        return
    is_alone = request.node.get_closest_marker("alone") is not None
    shared = tmp_path_factory.getbasetemp().parent
    with open(shared / "gate", "w") as gate, open(shared / "turn", "w") as turn:
        # Whoever waits holds the gate, so that nobody overtakes it.
        fcntl.flock(gate, fcntl.LOCK_EX)
        fcntl.flock(turn, fcntl.LOCK_EX if is_alone else fcntl.LOCK_SH)
        fcntl.flock(gate, fcntl.LOCK_UN)
        yield


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    told = misses.told(terminalreporter)
    if told:
        terminalreporter.section(f"{len(told)} misses of live tests")
        for line in told:
            terminalreporter.line(line)


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
