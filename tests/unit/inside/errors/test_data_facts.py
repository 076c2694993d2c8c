"""What is written of the data of a failing statement."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from whydied.inside.errors import data_facts

LABELS = [1.0, 3.0, 9.0]


@pytest.mark.parametrize("values", [np.array(LABELS), np.array(LABELS, "float32")[:, None], np.array([1, 9])])
def test_whole_numbers_have_a_range_whatever_their_type(values: np.ndarray) -> None:
    assert data_facts._array(values) == {"lowest": 1, "highest": 9}


@pytest.mark.parametrize(
    "values", [np.array([1.0, 2.5]), np.array([1.0, np.nan]), np.array([1.0, np.inf]), np.ones((2, 2)), np.array([])]
)
def test_other_numbers_have_none(values: np.ndarray) -> None:
    assert data_facts._array(values) == {}


def test_a_column_of_a_table() -> None:
    facts = data_facts._table(pd.Series(LABELS, name="kind"))
    assert (facts["lowest"], facts["highest"]) == (1, 9)
    assert "lowest" not in data_facts._table(pd.Series([1.0, None]))
