"""A long course is shown with few points, and none of its peaks is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from whydied.report.views.thinning import thinned


def test_a_short_course_stays_as_it_is() -> None:
    points = [(0.0, 3.0), (1.0, 1.0)]
    assert thinned(points, 10) == points


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=2000), st.integers(10, 200))
def test_extremes_and_ends_stay_and_the_order_too(values: list[float], most: int) -> None:
    points = [(float(at), value) for at, value in enumerate(values)]
    kept = thinned(points, most)
    assert len(kept) <= max(most, 4) + 2
    assert kept[0] == points[0]
    assert kept[-1] == points[-1]
    assert max(value for _, value in kept) == max(values)
    assert min(value for _, value in kept) == min(values)
    assert kept == sorted(kept)


def test_a_peak_of_one_sample_in_a_day_is_seen() -> None:
    points = [(float(at), 1.0) for at in range(100_000)]
    points[54_321] = (54_321.0, 9.0)
    assert (54_321.0, 9.0) in thinned(points)
