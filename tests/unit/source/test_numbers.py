from __future__ import annotations

import pytest

from whydied.source.numbers import Solved, number_beyond, solved


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


def test_the_number_that_gives_an_expression_another_value() -> None:
    assert solved("classes + 5", 6, 85) == Solved("classes", 1, 80)
    assert solved("2 * side", 12, 20) == Solved("side", 6, 10)
    assert solved("2 * side", 12, 21) is None
    assert solved("rows // 2", 6, 8) is None
    assert solved("width", 6, 8) is None
