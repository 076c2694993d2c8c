from __future__ import annotations

import pytest

from whydied.graph.traced_step import TrialRun
from whydied.inside.preflight import trial_steps


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[TrialRun]:
    found: list[TrialRun] = []
    monkeypatch.setattr(trial_steps, "write", found.append)
    return found


def test_several_steps_run_and_tell_their_peak(written: list[TrialRun]) -> None:
    rows: list[int] = []
    trial_steps.run(rows.append, 8)
    assert rows == [8] * trial_steps.MOST_STEPS
    (one,) = written
    assert (one.rows, one.ran, one.reason) == (8, True, "")
    assert one.peak_bytes > 1 << 20


def test_long_steps_are_fewer(written: list[TrialRun], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_steps, "LONGEST_S", 0.0)
    rows: list[int] = []
    trial_steps.run(rows.append, 8)
    assert len(rows) == trial_steps.LEAST_STEPS
    assert written[0].ran


def test_running_out_of_memory_is_an_answer_and_another_failure_is_not(written: list[TrialRun]) -> None:
    def fails(error: Exception) -> None:
        raise error

    trial_steps.run(lambda rows: fails(MemoryError()), 8)
    trial_steps.run(lambda rows: fails(ValueError("bad label\nmore")), 8)
    assert [(one.ran, one.reason) for one in written] == [
        (False, ""),
        (False, "the step failed: ValueError: bad label"),
    ]
