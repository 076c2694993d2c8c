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


def test_a_batch_is_known_by_the_array_that_it_is_a_view_of() -> None:
    labels = np.repeat(np.arange(6), 10)
    assert looked_at("feed", labels[:8], None, []).whole == [0, 5]
    assert looked_at("feed", labels.reshape(-1, 1)[:8], None, []).whole == [0, 5]
    # A column of a table has nothing to do with the others, and an array of its own is no part.
    assert looked_at("feed", labels.reshape(12, 5)[:8, 0], None, []).whole == []
    assert looked_at("feed", labels[:8].copy(), None, []).whole == []
