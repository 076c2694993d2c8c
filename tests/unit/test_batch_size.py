"""The search of `whydied.fit_batch_size`: what it tries next, by what trials told."""

from __future__ import annotations

import pytest

from whydied.errors import UsageError
from whydied.inside.model import step_trial
from whydied.sizing.batch_size import BatchSize, Trial, _in_process, _Search, fit_batch_size

ROW = 1000


def search(room: int, *trials: tuple[int, int | None], known: bool = True) -> _Search:
    found = _Search((lambda rows: rows * ROW) if known else (lambda rows: None), room, 10_000)
    found.trials = [Trial(size, taken, 1.0, True) for size, taken in trials]
    return found


def test_the_prediction_is_the_first_guess() -> None:
    assert search(100 * ROW).guess(1.0) == 100


def test_a_trial_corrects_the_prediction() -> None:
    assert search(100 * ROW, (50, 100 * ROW)).guess(1.0) == 50


def test_without_a_prediction_memory_grows_with_the_rows() -> None:
    assert search(100 * ROW, (10, 20 * ROW), known=False).guess(1.0) == 50


def test_what_did_not_fit_is_not_guessed_again() -> None:
    assert search(100 * ROW, (80, None)).guess(1.0) == 79


def test_the_answer_is_a_batch_that_ran_where_a_larger_one_did_not() -> None:
    found = search(100 * ROW, (60, 70 * ROW), (75, None)).answer()
    assert (found.batch_size, int(found), found.measured_bytes) == (60, 60, 70 * ROW)
    assert "a batch of 60 fits" in str(found)
    assert isinstance(found, BatchSize)


def test_one_row_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(UsageError, match="not even a batch of one row"):
        search(ROW // 2).answer()


def test_data_that_are_no_arrays_are_an_error() -> None:
    with pytest.raises(UsageError, match="needs arrays"):
        fit_batch_size(object(), iter([]))


def test_measurements_in_the_process_climb_while_they_teach(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fixed part of what a step takes weighs less in larger batches."""
    fixed = 20 * ROW
    monkeypatch.setattr(
        step_trial, "measured", lambda step, x, y, rows, variables: step_trial.Measured(0, fixed + rows * ROW)
    )
    found = search(100 * ROW)
    _in_process(found, None, None, None, [])
    sizes = [one.batch_size for one in found.trials]
    assert sizes == sorted(sizes)
    assert 2 < len(sizes) <= 4
    assert all(one.measured_bytes is not None and one.measured_bytes < 0.8 * found.room for one in found.trials)
    assert 65 <= found.answer().batch_size <= 76


def test_measurements_end_where_the_next_would_be_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        step_trial, "measured", lambda step, x, y, rows, variables: step_trial.Measured(0, 3 * rows * ROW)
    )
    found = search(2 * ROW)
    _in_process(found, None, None, None, [])
    assert [one.batch_size for one in found.trials] == [1]
