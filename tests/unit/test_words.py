from __future__ import annotations

import pytest

from whydied import words


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (512, "512 B"),
        (1023, "1.00 KiB"),
        (40 << 20, "40.0 MiB"),
        ((1 << 30) - 5, "1.00 GiB"),
        (int(1.94 * (1 << 30)), "1.94 GiB"),
        (4 * 10**12, "3.64 TiB"),
        (None, "an unknown size"),
        (float("nan"), "an unknown size"),
    ],
)
def test_sizes(count: float | None, text: str) -> None:
    assert words.size(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.42, "0.4 s"),
        (12.4, "12 s"),
        (134, "2 min 14 s"),
        (120, "2 min"),
        (3 * 3600 + 300, "3 h 05 min"),
        (50 * 3600, "2 days 2 h"),
        (None, "an unknown time"),
    ],
)
def test_times(seconds: float | None, text: str) -> None:
    assert words.duration(seconds) == text
