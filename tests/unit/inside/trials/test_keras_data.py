"""The containers in which data may be meant, without Keras."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from whydied.inside.trials.keras_data import MOST_ROWS, packings, shortened

NAMES = {"numpy": "np", "tensorflow": "tf"}


def texts(x: Any, y: Any, inputs: int | None = 1) -> list[tuple[str, str]]:
    found = packings(x, y, inputs, 1, NAMES)
    return [("*{}" if one.spread else one.x.text if one.x else "", one.y.text if one.y else "") for one in found]


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ([[1.0, 2.0], [3.0, 4.0]], [0, 1], ("np.array({})", "np.array({})")),
        (["wet day", "dry day"], [0, 1], ("tf.constant({})", "np.array({})")),
        (np.array([[1], ["2"]], dtype=object), None, ('{}.astype("float32")', "")),
        ((np.zeros((4, 2)), np.zeros(4)), None, ("*{}", "")),
    ],
)
def test_the_container_that_may_be_meant(x: Any, y: Any, expected: tuple[str, str]) -> None:
    assert expected in texts(x, y)


def test_one_array_for_several_inputs() -> None:
    assert ("list({})", "") in texts(np.zeros((2, 30, 4)), np.zeros(30), inputs=2)
    assert texts(np.zeros((30, 4)), np.zeros(30), inputs=2) == []


def test_arrays_for_each_input_are_as_they_should_be() -> None:
    assert texts([np.zeros((30, 4)), np.zeros((30, 4))], np.zeros(30), inputs=2) == []


def test_only_equal_numbers_of_rows_are_cut() -> None:
    x, y = shortened(np.zeros((500, 2)), list(range(500)))
    assert (len(x), len(y)) == (MOST_ROWS, MOST_ROWS)
    x, y = shortened(np.zeros((500, 2)), list(range(400)))
    assert (len(x), len(y)) == (500, 400)
