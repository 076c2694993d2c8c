from __future__ import annotations

import pytest

from whydied.source.numbers import number_beyond


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("    mask = x * -1e9", "-1e9"),
        ("y = x + 70_000", "70_000"),
        ("y = x + 1e-9 + 65504", None),
        ("y = x + float('inf')", None),
        ("for x in", None),
        (None, None),
    ],
)
def test_a_number_above_a_limit_as_it_is_written(text: str | None, found: str | None) -> None:
    assert number_beyond(text, 65504.0) == found
