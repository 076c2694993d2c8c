"""Everything is counted, and not everything is recorded."""

from __future__ import annotations

import pytest

from whydied.inside.guest import pacing


def test_at_most_one_in_a_pause_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([100, 150, 199, 200, 350])
    monkeypatch.setattr(pacing.time, "monotonic_ns", lambda: next(times))
    counted = pacing.Paced(100)
    assert [counted.one_more() for _ in range(5)] == [1, None, None, 4, 5]


def test_the_first_ones_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([100, 110, 120, 210, 220])
    monkeypatch.setattr(pacing.time, "monotonic_ns", lambda: next(times))
    counted = pacing.Paced(100, free=2)
    assert [counted.one_more() for _ in range(5)] == [1, 2, None, 4, None]
    assert counted.count == 5
