"""Expressions of the source, looked up in a frame."""

from __future__ import annotations

import ast
import sys
from typing import Any

import numpy as np
import pytest

from whydied.inside.guest.lookup import Missing, evaluate


class Loud:
    """A container of the user's own: asking it runs code of the user's."""

    def __getitem__(self, key: Any) -> Any:
        raise AssertionError("asked")

    def __index__(self) -> int:
        raise AssertionError("asked")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("values[:-back]", []),
        ("values[back:]", []),
        ("values[1:3]", [1, 2]),
        ("listed[::2]", [0, 2, 4]),
        ("listed[:last]", [0, 1, 2, 3]),
    ],
)
def test_slices(text: str, expected: list[int]) -> None:
    values, listed, back, last = np.arange(5), list(range(5)), 8, -1
    assert list(_evaluated(text)) == expected
    assert len(values) == len(listed) == 5
    assert back + last == 7


@pytest.mark.parametrize("text", ["loud[:2]", "values[:loud]", "values[:unknown]", "listed[::0]", "alone[:1]"])
def test_slices_that_would_run_code_or_fail(text: str) -> None:
    loud, values, listed, alone = Loud(), np.arange(5), [1, 2], np.array(3)
    assert isinstance(_evaluated(text), Missing)
    assert (type(loud), values.ndim, len(listed), alone.ndim) == (Loud, 1, 2, 0)


def _evaluated(text: str) -> Any:
    """An expression, evaluated in the frame of the test."""
    frame = sys._getframe(1)
    return evaluate(ast.parse(text, mode="eval").body, frame)
