"""What is noted of the values of an array that took part in a failure."""

from __future__ import annotations

import numpy as np
import pytest

from whydied.inside.errors.framework.looked_values import looked_at
from whydied.inside.guest import guard


@pytest.mark.parametrize("values", [[1.0, np.inf], [np.nan, 2.0], [0.5, 1.0]])
def test_what_is_no_class_number_has_no_range_and_is_no_error_of_ours(
    values: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    swallowed: list[str] = []
    monkeypatch.setattr(guard, "swallowed", lambda place, error: swallowed.append(place))
    party = looked_at("target", np.array(values), None, [])
    assert (party.lowest, party.highest, swallowed) == (None, None, [])


def test_class_numbers_and_one_hot_rows() -> None:
    numbers = looked_at("target", np.array([3, 5, 5]), None, [])
    assert (numbers.lowest, numbers.highest, numbers.one_hot) == (3, 5, False)
    rows = looked_at("target", np.eye(4)[[1, 2]], None, [])
    assert (rows.one_hot, rows.classes, rows.first_class) == (True, 2, 1)
