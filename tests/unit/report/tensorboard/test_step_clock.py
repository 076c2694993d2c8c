from __future__ import annotations

from tests.unit.diagnose.case_of import case_of
from whydied.records import Record, StepBegan
from whydied.report.tensorboard.step_clock import StepClock


def clock(*records: Record) -> StepClock:
    """Records stand at 1.1 s, 1.2 s …"""
    return StepClock(case_of(process=list(records), exit_code=0).records)


def test_training_counts_and_evaluation_does_not() -> None:
    found = clock(StepBegan(unit="test", count=1), StepBegan(unit="train", count=1), StepBegan(unit="train", count=2))
    assert (found.unit, found.steps) == ("train", 2)
    assert [found.step_at(at_s) for at_s in (0.0, 1.25, 1.35, 99.0)] == [0, 0, 1, 1]


def test_between_recorded_steps_it_goes_by_time() -> None:
    found = clock(StepBegan(unit="train", count=1), StepBegan(unit="train", count=101))
    assert found.step_at(1.15) in (49, 50)
    assert abs(found.time_of(50, 0.0) - 1.15) < 0.001
    assert found.time_of(5000, 0.0) == found.time_of(100, 0.0)


def test_without_steps_everything_is_step_zero() -> None:
    found = clock()
    assert (found.unit, found.steps, found.step_at(5.0), found.time_of(3, 7.0)) == ("", 0, 0, 7.0)


def test_a_predicting_program_has_its_own_steps() -> None:
    assert clock(StepBegan(unit="predict", count=4)).unit == "predict"
