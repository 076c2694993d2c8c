"""Rates, trends and times to the limit, on series made by hand."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whydied.live.history import History
from whydied.live.memory_trend import MemoryTrend, used_of
from whydied.live.step_rate import StepRate
from whydied.records import LimitApplied, MachineSampled, ProcessSample, StepBegan

MIB = 1 << 20
OURS = LimitApplied(kind="cgroup v1", limit_bytes=1000 * MIB, ours=True)


def grown(seconds: float, rss: object, limit: LimitApplied | None = OURS, **fields: int) -> MemoryTrend:
    """Samples ten times a second, of a function of the second."""
    trend = MemoryTrend()
    assert callable(rss)
    for tick in range(int(seconds * 10)):
        at = tick / 10
        trend.add(1000 + at, int(rss(at)), MachineSampled(processes=[], **fields), limit)
    return trend


def test_a_leak_has_its_slope_and_its_time() -> None:
    seen = grown(60, lambda at: 100 * MIB + at * 2 * MIB).now()
    assert seen.bytes_per_s == pytest.approx(2 * MIB, rel=0.02)
    assert seen.to_limit_s == pytest.approx((1000 - 220) / 2, rel=0.03)
    assert (seen.peak_bytes, seen.used_bytes) == (seen.rss_bytes, seen.rss_bytes)


def test_the_ups_and_downs_of_a_step_are_no_growth() -> None:
    chance = random.Random(3)
    seen = grown(60, lambda at: 400 * MIB + (at % 0.7) * 300 * MIB + chance.random() * MIB).now()
    assert seen.bytes_per_s == 0
    assert seen.to_limit_s is None


def test_a_jump_is_no_trend_and_a_leak_below_the_waves_is_one() -> None:
    assert grown(60, lambda at: 100 * MIB if at < 50 else 700 * MIB).now().bytes_per_s == 0
    leak = grown(60, lambda at: 200 * MIB + (at % 0.5) * 100 * MIB + at * MIB).now()
    assert leak.bytes_per_s == pytest.approx(MIB, rel=0.1)


def test_growth_that_has_stopped_is_none_and_growth_in_steps_is_one() -> None:
    for seconds in (24, 27, 30, 45, 60):
        assert grown(seconds, lambda at: min(700, 40 * at) * MIB).now().bytes_per_s == 0, seconds
    assert grown(12, lambda at: 40 * at * MIB).now().bytes_per_s == pytest.approx(40 * MIB, rel=0.1)
    epochs = grown(60, lambda at: (100 + 30 * (at // 8)) * MIB).now()
    assert epochs.bytes_per_s == pytest.approx(30 / 8 * MIB, rel=0.3)
    falling = grown(60, lambda at: (900 - 4 * at) * MIB).now().bytes_per_s
    assert falling == pytest.approx(-4 * MIB, rel=0.05)


def test_only_the_last_minute_counts() -> None:
    seen = grown(200, lambda at: (100 + min(at, 100) * 5) * MIB).now()
    assert seen.bytes_per_s == 0


def test_too_little_says_nothing_and_a_limit_that_is_passed_is_now() -> None:
    assert grown(5, lambda at: at * MIB).now().bytes_per_s is None
    assert MemoryTrend().now().used_bytes == 0
    assert grown(60, lambda at: 1500 * MIB + at * 9 * MIB).now().to_limit_s == 0
    assert grown(60, lambda at: (900 - at) * MIB).now().to_limit_s is None


def test_a_figure_and_its_limit_count_the_same() -> None:
    machine = LimitApplied(kind="machine", limit_bytes=1000 * MIB)
    seen = grown(1, lambda at: 100 * MIB, machine, available_bytes=300 * MIB).now()
    assert (seen.used_bytes, seen.share) == (700 * MIB, 0.7)
    shared = LimitApplied(kind="cgroup v2", limit_bytes=1000 * MIB)
    assert grown(1, lambda at: 100 * MIB, shared, cgroup_bytes=600 * MIB).now().used_bytes == 600 * MIB
    assert grown(1, lambda at: 100 * MIB, OURS, cgroup_bytes=600 * MIB).now().used_bytes == 100 * MIB
    assert grown(1, lambda at: 100 * MIB, None).now().share is None


def test_what_counts_against_a_group_is_not_what_libraries_map() -> None:
    fields: dict[str, Any] = {"ppid": 1, "name": "python", "state": "R"}
    first = ProcessSample(pid=1, rss_bytes=700 * MIB, anon_bytes=300 * MIB, shmem_bytes=50 * MIB, **fields)
    second = ProcessSample(pid=2, rss_bytes=600 * MIB, anon_bytes=200 * MIB, shmem_bytes=50 * MIB, **fields)
    dead = ProcessSample(pid=3, rss_bytes=0, **fields)
    sample = MachineSampled(processes=[first, second, dead])
    assert used_of(900 * MIB, sample, OURS) == (550 * MIB, 1000 * MIB, "memory of the program without mapped files")
    watched = LimitApplied(kind="watched", limit_bytes=1000 * MIB, ours=True)
    assert used_of(900 * MIB, sample, watched)[0] == 900 * MIB
    untold = MachineSampled(processes=[ProcessSample(pid=1, rss_bytes=700 * MIB, **fields)])
    assert used_of(900 * MIB, untold, OURS)[0] == 900 * MIB


def test_the_rate_comes_from_the_counts() -> None:
    rate = StepRate()
    assert rate.at(0) is None
    for at in range(20):
        rate.add(float(at), StepBegan(unit="train", count=at * 5, epoch=1, step=at * 5))
        rate.add(float(at), StepBegan(unit="function", count=at * 50))
    seen = rate.at(20)
    assert seen is not None
    assert (seen.unit, seen.begun, seen.per_s, seen.epoch, seen.step, seen.idle_s) == ("train", 95, 5.0, 1, 95, 1.0)
    rate.add(100.0, StepBegan(unit="predict", count=1))
    later = rate.at(101)
    assert later is not None
    assert (later.unit, later.per_s) == ("predict", None)
    idle = rate.at(500)
    assert idle is not None
    assert (idle.unit, idle.per_s, idle.idle_s) == ("predict", None, 400)


@given(st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e12)), min_size=1, max_size=60))
def test_a_history_is_bounded_and_keeps_its_peak(points: list[tuple[float, float]]) -> None:
    history = History(most=16)
    for at, value in sorted(points):
        history.add(at, value)
    assert len(history.values) <= 16
    assert max(history.values) == max(value for _, value in points)
