from __future__ import annotations

import random

from whydied.diagnose.memory.memory_over_time import sustained_growth

N = 400
XS = [float(n) for n in range(N)]


def growth_of(ys: list[float], xs: list[float] = XS) -> float:
    return sustained_growth(list(zip(xs, ys, strict=True)))


def noisy(seed: int, size: float) -> list[float]:
    chance = random.Random(seed)
    return [chance.gauss(0, size) for _ in range(N)]


def test_a_leak_grows_by_its_slope() -> None:
    for seed in range(20):
        found = growth_of([1000 + 3 * x + e for x, e in zip(XS, noisy(seed, 20), strict=True)])
        # The first part of the series is the warm-up.
        assert abs(found - 3 * 0.7 * N) < 0.1 * 0.7 * N


def test_a_leak_in_steps_is_sustained() -> None:
    assert growth_of([1000 + 90 * (x // 30) for x in XS])


def test_noise_a_plateau_a_jump_and_a_sawtooth_are_silent() -> None:
    for series in (
        [1000 + e for e in noisy(2, 50)],
        [1000 * (1 - 0.9 ** (x / 4)) for x in XS],
        [1000 + (500 if x > 200 else 0) + e for x, e in zip(XS, noisy(3, 5), strict=True)],
        [1000 + 5 * (x % 97) for x in XS],
        [1000.0 for _ in XS],
        [2000 - x for x in XS],
    ):
        assert growth_of(series) == 0


def test_too_few_points_tell_nothing() -> None:
    assert sustained_growth([]) == 0
    assert growth_of([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]) == 0
    assert growth_of([float(n) for n in range(50)], [1.0] * 50) == 0


def test_points_that_come_faster_near_the_end_are_growth_all_the_same() -> None:
    xs = [n / 10 for n in range(80)] + [8 + n / 200 for n in range(80)]
    assert growth_of([100 * x for x in xs], xs)
    assert growth_of([100 * min(x, 5.0) for x in xs], xs) == 0
