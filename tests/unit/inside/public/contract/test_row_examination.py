"""Blocks of rows, looked at: the rows that break a term are the right ones, and the numbers are true."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from whydied.inside.public.contract.row_checks import Check
from whydied.inside.public.contract.row_examination import BLOCK_BYTES, LARGEST_ROWS, Examination
from whydied.records import Term
from whydied.words import contract_terms


def examined(array: Any, *asked: Term) -> Examination:
    examination = Examination([Check(term) for term in asked])
    examination.look_at(array)
    return examination


def test_good_data_break_nothing_and_are_measured() -> None:
    array = np.linspace(-1, 3, 400, dtype="float32").reshape(100, 4)
    seen = examined(array, contract_terms.finite("input"), contract_terms.within(-1, 3, "declared"))
    assert seen.breaches == []
    assert (seen.shape, seen.dtype, seen.rows_seen) == ([None, 4], "float32", 100)
    assert seen.numbers is not None
    assert (seen.numbers.least, seen.numbers.greatest, seen.numbers.nonfinite) == (-1, 3, 0)
    assert seen.distinct is None


def test_rows_values_and_columns_of_what_is_not_finite() -> None:
    array = np.zeros((50, 3, 2))
    array[7, 1, 1], array[7, 2, 0], array[31, 0, 1] = np.nan, np.inf, -np.inf
    seen = examined(array, contract_terms.finite("input"))
    (breach,) = seen.breaches
    assert (breach.rows, breach.count, breach.values) == ([7, 31], 2, ["nan", "-inf"])
    assert breach.columns == [[1, 1], [0, 1]]
    assert np.isnan(breach.kept[0][1, 1])
    assert seen.numbers is not None
    assert (seen.numbers.nan, seen.numbers.plus_infinity, seen.numbers.minus_infinity) == (1, 1, 1)


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32", "float16"])
def test_labels_outside_of_the_classes(dtype: str) -> None:
    labels = np.array([0, 1, 2, 3, 2, 9], dtype)
    (breach,) = examined(labels, contract_terms.classes(3, "loss")).breaches
    assert (breach.rows, breach.values) == ([3, 5], ["3", "9"])


def test_spared_and_fractional_labels() -> None:
    labels = np.array([0.0, -1.0, 0.5, 2.0])
    assert examined(labels, contract_terms.classes(3, "loss", spared=[-1.0])).breaches == []
    (breach,) = examined(labels, contract_terms.classes(3, "declared")).breaches
    assert breach.rows == [1, 2]


def test_many_bad_rows_over_many_blocks_are_counted_and_the_first_are_named() -> None:
    rows = 40
    array = np.full((rows, BLOCK_BYTES // 8), 2.0)
    (breach,) = examined(array, contract_terms.within(0, 1, "declared")).breaches
    assert breach.count == rows
    assert breach.rows == list(range(LARGEST_ROWS))
    assert sum(kept.nbytes for kept in breach.kept) <= BLOCK_BYTES


def test_distinct_values_of_labels_and_rows_that_come_twice() -> None:
    assert examined(np.array([3, 1, 3, 5])).distinct == {1.0, 3.0, 5.0}
    assert examined(np.array([1.0, 2.5])).distinct is None
    (breach,) = examined(np.array([[1, 2], [3, 4], [1, 2]]), contract_terms.unique("declared")).breaches
    assert breach.rows == [2]


def test_shares_that_do_not_sum_to_one() -> None:
    array = np.array([[0.5, 0.5], [1.0, 1.0], [0.0, 1.0]])
    (breach,) = examined(array, contract_terms.one_hot(2, "loss")).breaches
    assert breach.rows == [1]


def test_strings_bools_and_odd_types_raise_nothing() -> None:
    for array in (np.array(["a", "b"]), np.array([True, False]), np.array([None, "x"], object), np.zeros((0, 3))):
        examined(
            array,
            contract_terms.finite("input"),
            contract_terms.within(0, 1, "input"),
            contract_terms.one_hot(2, "loss"),
        )


def test_nothing_is_warned_of_whatever_numpy_was_told() -> None:
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        seen = examined(
            np.array([np.nan, np.inf, 1.0]), contract_terms.finite("input"), contract_terms.within(0, 1, "input")
        )
    assert seen.breaches[0].rows == [0, 1]
