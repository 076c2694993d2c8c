"""The live sample: programs of tests/programs that say `live`, one for each mechanism in each mode, for real.

All programs are judged by their stored recordings (tests/unit/test_recordings.py); this shows that the recorder still
writes what those hold. A death by the kernel is an experiment: a program that is not told right is tried twice more,
and must then be right both times. Each miss stands in the summary with its recording.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest
from tests.misses import Misses

from corpus import Case, load
from trial import run
from verdict import Verdict, judge

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "programs"
MISSES = ROOT / "build" / "misses"
MORE_TRIES = 2


def _parameter(case: Case) -> object:
    marks = [getattr(pytest.mark, need) for need in case.expected.needs if need in ("tensorflow", "cgroup")]
    return pytest.param(case, id=case.name, marks=marks)


def _attempt(case: Case, scratch: Path, misses: Misses) -> Verdict:
    scratch.mkdir()
    verdict = judge(case, run(case, scratch))
    if not verdict.right:
        kept = MISSES / f"{case.name.replace('/', '-')}-{time.time_ns()}"
        shutil.copytree(scratch, kept, symlinks=True)
        misses.add(case.name, "; ".join(verdict.problems), str(kept.relative_to(ROOT)))
    return verdict


@pytest.mark.timeout(400)
@pytest.mark.parametrize("case", [_parameter(case) for case in load(PROGRAMS) if case.expected.live])
def test_program_is_diagnosed(case: Case, tmp_path: Path, misses: Misses) -> None:
    if lacking := case.lacking():
        pytest.skip(f"needs {lacking}")
    first = _attempt(case, tmp_path / "0", misses)
    if first.right:
        return
    again = [_attempt(case, tmp_path / str(number), misses) for number in range(1, MORE_TRIES + 1)]
    assert all(verdict.right for verdict in again), "\n".join(
        problem for verdict in (first, *again) for problem in verdict.problems
    )


def test_every_mode_has_its_programs() -> None:
    """The sample must not shrink to one mode unnoticed."""
    told = " · ".join(case.expected.live or "" for case in load(PROGRAMS))
    for mode in ("eager", "traced", "session", "Keras 2", "fit", "child process", "healthy", "replay", "census"):
        assert mode in told, mode
