"""The live sample: programs of tests/programs that say `live`, one for each mechanism in each mode, for real.

All programs are judged by their stored recordings (tests/unit/test_recordings.py); this shows that the recorder still
writes what those hold. A program that is not told right is tried twice more (tests/misses.py); each miss stands in the
summary with its recording.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from corpus import Case, load
from trial import run
from verdict import judge

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "programs"
MISSES = ROOT / "build" / "misses"


def _parameter(case: Case) -> object:
    marks = [getattr(pytest.mark, need) for need in case.expected.needs if need in ("tensorflow", "cgroup")]
    return pytest.param(case, id=case.name, marks=marks)


@pytest.mark.parametrize("case", [_parameter(case) for case in load(PROGRAMS) if case.expected.live])
def test_program_is_diagnosed(case: Case, tmp_path: Path) -> None:
    if lacking := case.lacking():
        pytest.skip(f"needs {lacking}")
    verdict = judge(case, run(case, tmp_path, trials=False))
    if not verdict.right:
        kept = MISSES / f"{case.name.replace('/', '-')}-{time.time_ns()}"
        shutil.copytree(tmp_path, kept, symlinks=True)
        pytest.fail(f"{'; '.join(verdict.problems)} [{kept.relative_to(ROOT)}]", pytrace=False)


def test_every_mode_has_its_programs() -> None:
    """The sample must not shrink to one mode unnoticed."""
    told = " · ".join(case.expected.live or "" for case in load(PROGRAMS))
    for mode in ("eager", "traced", "session", "Keras 2", "fit", "child process", "healthy", "replay", "census"):
        assert mode in told, mode
