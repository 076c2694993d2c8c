"""When a census is taken, from invented courses of memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from whydied.inside import journal
from whydied.inside.sampling import memory_watch
from whydied.inside.sampling.memory_watch import CALM_S, HURRY_S, Watch

GB = 1 << 30


class Ceiling:
    """A limit of so many bytes for this process alone."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes

    def room_bytes(self, rss_bytes: int) -> int:
        return max(0, self._limit_bytes - rss_bytes)


class Course:
    """Drives a watch along a course of memory; `taken` is what it asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, limit_bytes: int, cost_s: float = 0.01) -> None:
        self.taken: list[str] = []
        self._now = 1000.0
        self._rss = 0
        monkeypatch.setattr(memory_watch.process_memory, "rss_bytes", lambda: self._rss)
        monkeypatch.setattr(memory_watch.time, "monotonic", lambda: self._now)
        self.watch = Watch(Ceiling(limit_bytes))  # type: ignore[arg-type]

        def take(trigger: str, rss: int, now: float) -> None:
            self.taken.append(trigger)
            self.watch._spent_s += cost_s
            self.watch._walk_s = cost_s
            self.watch._census_bytes = rss

        monkeypatch.setattr(self.watch, "_take", take)

    def go(self, rss: float, after_s: float = 0.05) -> float:
        self._now += after_s
        self._rss = int(rss)
        return self.watch.tick()

    def grow(self, start: float, end: float, step: float, after_s: float = 0.05) -> None:
        while start <= end:
            self.go(start, after_s)
            start += step


@pytest.fixture(autouse=True)
def _recording(tmp_path: Path) -> Iterator[None]:
    (tmp_path / "streams").mkdir()
    journal.open_journal(str(tmp_path))
    yield
    journal.close()


def test_each_milestone_once(monkeypatch: pytest.MonkeyPatch) -> None:
    course = Course(monkeypatch, GB)
    course.grow(0.1 * GB, 0.95 * GB, 0.005 * GB)
    milestones = [trigger for trigger in course.taken if trigger != "growth"]
    assert milestones == [f"{percent} % of the limit" for percent in (40, 60, 75, 85, 92)]


def test_a_jump_over_several_milestones_takes_one(monkeypatch: pytest.MonkeyPatch) -> None:
    course = Course(monkeypatch, GB)
    course.go(0.1 * GB)
    course.go(0.8 * GB)
    course.go(0.8 * GB)
    assert course.taken == ["75 % of the limit"]


def test_a_plateau_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    course = Course(monkeypatch, GB)
    for _ in range(2000):
        course.go(0.5 * GB)
    assert course.taken == ["40 % of the limit"]


def test_a_milestone_counts_again_after_memory_fell(monkeypatch: pytest.MonkeyPatch) -> None:
    course = Course(monkeypatch, GB)
    for rss in (0.1, 0.65, 0.3, 0.65):
        course.go(rss * GB)
    assert course.taken == ["60 % of the limit", "60 % of the limit"]


def test_growth_far_below_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    course = Course(monkeypatch, 16 * GB)
    course.grow(0.2 * GB, 6 * GB, 0.1 * GB)
    assert course.taken[0] == "growth"


def test_growth_is_looked_at_however_much_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    course = Course(monkeypatch, 500 * GB)
    course.grow(0.6 * GB, 3 * GB, 0.05 * GB)
    assert course.taken == ["growth"] * 3


def test_small_programs_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    course = Course(monkeypatch, 32 << 20)
    course.grow(1 << 20, 31 << 20, 1 << 20)
    assert course.taken == []


def test_the_time_spent_is_bounded_and_some_is_kept_for_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    course = Course(monkeypatch, GB, cost_s=0.2)
    course.grow(0.1 * GB, 0.95 * GB, 0.005 * GB, after_s=0.005)
    assert course.taken[-1] == "75 % of the limit" or course.taken[-1].startswith(("85", "92"))
    assert 0.2 * len(course.taken) <= memory_watch.ALLOWANCE_S + 0.01 * 2 + 0.2


def test_time_earns_more(monkeypatch: pytest.MonkeyPatch) -> None:
    course = Course(monkeypatch, GB, cost_s=0.4)
    for _ in range(40):
        course.go(0.1 * GB, after_s=30)
        course.go(0.95 * GB, after_s=30)
    assert len(course.taken) * 0.4 <= 0.01 * 40 * 60 + memory_watch.ALLOWANCE_S + 0.4
    assert len(course.taken) > 20


def test_ticks_hurry_while_memory_grows_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    course = Course(monkeypatch, 100 * GB)
    assert course.go(0.1 * GB) == CALM_S or course.go(0.1 * GB, 1) == CALM_S
    assert course.go(0.3 * GB, 0.1) == HURRY_S
    course.go(0.3 * GB, 1)
    assert course.go(0.3 * GB, 1) == CALM_S


def test_nothing_is_taken_while_an_exception_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    course = Course(monkeypatch, GB)
    owner = journal.current()
    assert owner is not None
    owner.quiet = True
    course.go(0.9 * GB)
    assert course.taken == []
    owner.quiet = False
    course.go(0.9 * GB)
    assert course.taken == ["85 % of the limit"]


def test_what_was_there_before_tensorflow_is_the_programs_own(monkeypatch: pytest.MonkeyPatch) -> None:
    course = Course(monkeypatch, 4 * GB)
    course.go(0.1 * GB)
    course.go(1.1 * GB)
    monkeypatch.setattr(memory_watch, "_importing", lambda: True)
    course.go(1.4 * GB)
    course.go(1.5 * GB)
    course.watch.rebase()
    assert course.watch._base_bytes == pytest.approx(0.5 * GB, abs=10)
