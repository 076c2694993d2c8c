from __future__ import annotations

import pytest

from whydied.report import sizes


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-50, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (3 * 3600 + 5, "3 hours ago"),
        (86400 * 2, "2 days ago"),
        (86400 * 45, "1 month ago"),
        (86400 * 800, "2 years ago"),
    ],
)
def test_ages(seconds: float, words: str) -> None:
    assert sizes.age(seconds) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [(True, "yes"), (3911, "3911"), (1234567, "1,234,567"), (2.0, "2"), (0.031249, "0.03125"), (float("nan"), "nan")],
)
def test_numbers(value: float, words: str) -> None:
    assert sizes.number(value) == words
