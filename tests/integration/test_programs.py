"""Every program of tests/programs gets the diagnosis that stands beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus import Case, load
from trial import run
from verdict import judge

PROGRAMS = Path(__file__).resolve().parent.parent / "programs"


def _parameter(case: Case) -> object:
    marks = [getattr(pytest.mark, need) for need in case.expected.needs if need in ("tensorflow", "cgroup")]
    return pytest.param(case, id=case.name, marks=marks)


@pytest.mark.parametrize("case", [_parameter(case) for case in load(PROGRAMS)])
def test_program_is_diagnosed(case: Case, tmp_path: Path) -> None:
    if lacking := case.lacking():
        pytest.skip(f"needs {lacking}")
    trial = run(case, tmp_path)
    verdict = judge(case, trial)
    assert not verdict.problems, "\n".join(verdict.problems)
