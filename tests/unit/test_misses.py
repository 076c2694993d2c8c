"""A live test that fails is judged again: at most three times, and it must be right twice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONFTEST = """
from tests import misses

pytest_runtest_protocol = misses.judge_again


def pytest_terminal_summary(terminalreporter):
    for line in misses.told(terminalreporter):
        terminalreporter.line("MISS " + line)
"""
TESTS = """
import itertools

import pytest

tries = itertools.count(1)


@pytest.fixture(scope="module")
def experiment():
    return next(tries)


def test_outcome(experiment):
    assert experiment not in {wrong}, "wrong at try %d" % experiment


def test_after(experiment):
    assert experiment == {last}
"""


@pytest.mark.parametrize(
    ("folder", "wrong", "last", "summary", "missed"),
    [
        ("integration", (), 1, "2 passed", []),
        ("integration", (1,), 3, "2 passed", ["wrong at try 1"]),
        ("integration", (1, 3), 3, "1 failed, 1 passed", ["wrong at try 1"]),
        ("integration", (1, 2), 2, "1 failed, 1 passed", ["wrong at try 1"]),
        ("unit", (1,), 1, "1 failed, 1 passed", []),
    ],
)
def test_tries(folder: str, wrong: tuple[int, ...], last: int, summary: str, missed: list[str], tmp_path: Path) -> None:
    tests = tmp_path / folder
    tests.mkdir()
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tests / "test_one.py").write_text(TESTS.format(wrong=wrong, last=last))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", ".", "."],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    told = [line for line in done.stdout.splitlines() if line.startswith("MISS")]
    assert summary in done.stdout.splitlines()[-1], done.stdout + done.stderr
    assert len(told) == len(missed)
    assert all(text in line for text, line in zip(missed, told, strict=True)), told
