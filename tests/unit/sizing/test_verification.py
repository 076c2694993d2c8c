from __future__ import annotations

import random

import pytest

from whydied.sizing.crossing import Crossing, Seen, Trial
from whydied.sizing.verification import MOST_TRIALS, Curve, Verified, following, verified

MB = 1 << 20
LIMIT = 1000 * MB
BASE = 300 * MB


def machine(rows_that_fit: int, noise: float = 0.0, seed: int = 0) -> tuple[object, list[int]]:
    """Steps that take as much a row as makes so many rows fit, a little more or less each time."""
    chance = random.Random(seed)
    tried: list[int] = []
    row = (LIMIT - BASE) / rows_that_fit

    def attempt(rows: int) -> Trial:
        tried.append(rows)
        peak = BASE + rows * row * (1 + noise * (2 * chance.random() - 1))
        return Trial(peak <= LIMIT, int(peak))

    return attempt, tried


def predicted(rows_that_fit: int) -> Curve:
    row = (LIMIT - BASE) // rows_that_fit
    return Curve({rows: BASE + rows * row for rows in (16, 32, 64, 500)})


@pytest.mark.parametrize("guess", [60, 90, 95, 100, 105, 130, 170, 400])
@pytest.mark.parametrize("fitting", [100, 700])
def test_the_largest_batch_is_found_from_a_prediction(guess: int, fitting: int) -> None:
    attempt, tried = machine(fitting)
    found, sure = verified(attempt, predicted(guess * fitting // 100), LIMIT, guess * fitting // 100)  # type: ignore[arg-type]
    assert sure
    assert found <= fitting < found * 1.15 + 1
    assert found in tried
    assert len(tried) <= (6 if 90 <= guess <= 105 else MOST_TRIALS)


@pytest.mark.variation
def test_what_is_told_fits_the_next_time_too() -> None:
    right = 0
    for seed in range(20):
        attempt, _ = machine(300, noise=0.04, seed=seed)
        found, sure = verified(attempt, predicted(250 + 4 * seed), LIMIT, 250 + 4 * seed)  # type: ignore[arg-type]
        again, _ = machine(300, noise=0.04, seed=1000 + seed)
        right += sure and again(found).ran and not again(int(found * 1.15)).ran  # type: ignore[operator]
    assert right >= 18


def test_of_few_rows_the_next_is_one_more() -> None:
    for fitting in (1, 2, 3, 5, 8, 13, 19):
        attempt, _ = machine(fitting)
        found, sure = verified(attempt, predicted(fitting + 2), LIMIT, fitting + 2)  # type: ignore[arg-type]
        assert sure, fitting
        assert found <= fitting < following(found) <= found + 2


def test_nothing_fits() -> None:
    assert verified(lambda rows: Trial(False), predicted(2), LIMIT, 2) == Verified(0, True)


def test_what_was_not_seen_to_fail_is_not_verified() -> None:
    found, sure = verified(lambda rows: Trial(True, BASE), predicted(8), LIMIT, 8)
    assert not sure
    assert found > 8


def test_a_line_is_drawn_through_what_is_known() -> None:
    curve = Curve({10: 100, 20: 200, 40: 800})
    assert (curve.at(15), curve.at(30), curve.at(5)) == (150, 500, 50)
    assert (curve.where(150), curve.where(500), curve.where(1400)) == (15, 30, 60)
    assert Curve({8: 80}).where(800) == 80


def test_a_curve_that_scatters_still_rises() -> None:
    curve = Curve({100: 1000, 1000: 2000, 1010: 2600, 1020: 1900, 1300: 1990})
    assert curve.at(1300) >= curve.at(1000)
    assert 1000 < curve.where(2300) < 2000


def scattering(curve: Curve, rows_that_fit: int, spread: float, seed: int) -> object:
    """Steps whose peaks scatter by so much of the limit."""
    chance = random.Random(seed)

    def attempt(rows: int) -> Trial:
        peak = LIMIT * 0.995 + curve.at(rows) - curve.at(rows_that_fit) + chance.gauss(0, spread * LIMIT)
        return Trial(peak <= LIMIT * 0.995, int(peak))

    return attempt


@pytest.mark.parametrize(
    ("spread", "wanted"),
    [
        pytest.param(0.005, 0.97, marks=pytest.mark.variation),
        (0.015, 0.92),
        pytest.param(0.03, 0.75, marks=pytest.mark.variation),
    ],
)
def test_peaks_that_scatter_are_told_as_well_as_they_can_be(spread: float, wanted: float) -> None:
    """15 % more rows take 10 % of the limit more: with 3 % of scatter the very best batch is right 82 times in 100."""
    right = trials = 0
    for seed in range(15):
        curve = predicted(300)
        attempt = scattering(curve, 270 + 4 * seed, spread, seed)
        tried: list[int] = []

        def counted(rows: int, tried: list[int] = tried, attempt: object = attempt) -> Trial:
            tried.append(rows)
            return attempt(rows)  # type: ignore[operator, no-any-return]

        found, _ = verified(counted, curve, LIMIT, 300)
        again = scattering(curve, 270 + 4 * seed, spread, 1000 + seed)
        right += again(found).ran and not again(following(found)).ran  # type: ignore[operator]
        trials += len(tried)
    assert right >= wanted * 15
    assert trials <= 15 * MOST_TRIALS


def test_a_peak_that_jumps_is_kept_away_from() -> None:
    """What ran twice just below batches that did not run is not told: another process may jump a little earlier."""
    curve = Curve({8: 300 * MB, 32: 420 * MB, 55: 560 * MB, 113: 800 * MB})
    seen = [Seen(rows, Trial(False)) for rows in (108, 86, 87, 95)]
    seen += [Seen(55, Trial(True, 616 * MB)), Seen(83, Trial(True, 746 * MB)), Seen(83, Trial(True, 741 * MB))]
    crossing = Crossing(curve.at, 795 * MB, 113, seen)
    assert crossing.both(79, following(79)) > 0.9 > crossing.both(83, following(83))
    assert crossing.runs(60) > 0.95
    assert crossing.runs(100) < 0.05
