"""Constants that sizes are computed from, and the number that would give another size."""

from __future__ import annotations

import ast

import pytest

from whydied.source.shared_constants import other_numbers

NET = "SIZE = 48\nCHANNELS = 3\nPIXELS = SIZE * SIZE\nshape = [None, PIXELS]\nflat = [None, PIXELS * CHANNELS]\n"


def _found(text: str, size: int, wanted: int) -> list[tuple[str, int, int, str]]:
    return [(one.name, one.was, one.now, one.text) for one in other_numbers(ast.parse(text), size, wanted)]


def test_the_constant_behind_a_computed_size() -> None:
    assert _found(NET, 2304, 1024) == [("SIZE", 48, 32, "SIZE * SIZE")]
    assert _found(NET, 6912, 2304) == [("CHANNELS", 3, 1, "PIXELS * CHANNELS")]


def test_a_constant_that_is_the_size_itself() -> None:
    assert _found("WIDTH = 20\nmake(WIDTH)\n", 20, 30) == [("WIDTH", 20, 30, "WIDTH")]


@pytest.mark.parametrize(
    "text",
    [
        # No whole number gives it; it is given twice; it is a parameter, too.
        "SIZE = 48\nmake(SIZE * SIZE)\n",
        "SIZE = 32\nSIZE = 48\nmake(SIZE * 2)\n",
        "SIZE = 48\ndef build(SIZE):\n    return SIZE * 48\n",
    ],
)
def test_what_is_no_single_constant_is_left_alone(text: str) -> None:
    assert _found(text, 2304, 1000) == []
