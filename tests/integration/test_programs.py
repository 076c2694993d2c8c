"""Every program of tests/programs gets the diagnosis that stands beside it.

Most of a program's time is TensorFlow's start on one core, so as many run at a time as there are cores, up to
`AT_A_TIME`; each test waits for its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from corpus import Case, load
from trial import Trial, run
from verdict import judge

PROGRAMS = Path(__file__).resolve().parent.parent / "programs"
AT_A_TIME = 2


def _parameter(case: Case) -> object:
    marks = [getattr(pytest.mark, need) for need in case.expected.needs if need in ("tensorflow", "cgroup")]
    return pytest.param(case, id=case.name, marks=marks)


@pytest.fixture(scope="module")
def trials(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[Trial]]]:
    """The chosen programs' trials, under way in the order of the tests."""
    chosen = [item.callspec.params["case"] for item in request.session.items if item.path == request.path]
    pool = ThreadPoolExecutor(min(AT_A_TIME, len(os.sched_getaffinity(0))))
    place = tmp_path_factory.mktemp("programs")
    try:
        yield {case.name: pool.submit(_attempt, case, place) for case in chosen if not case.lacking()}
    finally:
        pool.shutdown(cancel_futures=True)


def _attempt(case: Case, place: Path) -> Trial:
    scratch = place / case.name.replace("/", "-")
    scratch.mkdir()
    return run(case, scratch)


# A trial ends itself; what is waited for may stand behind a slow one.
@pytest.mark.timeout(600)
@pytest.mark.parametrize("case", [_parameter(case) for case in load(PROGRAMS)])
def test_program_is_diagnosed(case: Case, trials: dict[str, Future[Trial]]) -> None:
    if lacking := case.lacking():
        pytest.skip(f"needs {lacking}")
    verdict = judge(case, trials[case.name].result())
    assert not verdict.problems, "\n".join(verdict.problems)
