"""Rows of a batch, found again in the arrays of the code that runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from whydied.inside import journal
from whydied.inside.numerics import array_rows
from whydied.inside.numerics.array_rows import UNKNOWN, Rows

numpy: Any = pytest.importorskip("numpy")


@pytest.fixture(autouse=True)
def _journal(tmp_path: Path) -> Iterator[None]:
    (tmp_path / "streams").mkdir()
    journal.open_journal(str(tmp_path))
    yield
    journal.close()


def _found(*batches: Any, frame: Any) -> list[Rows | None]:
    return array_rows.find(frame, list(batches))


def test_shuffled_rows_are_found_by_value_and_labels_by_what_is_beside_them() -> None:
    images = numpy.random.default_rng(0).random((50, 3, 2)).astype("float32")
    labels = numpy.arange(50) % 3
    chosen = [7, 49, 0, 12]
    first, second = _found(images[chosen], labels[chosen], frame=sys._getframe())
    assert first == Rows("images", chosen)
    assert second == Rows("labels", chosen)


def test_a_row_of_nan_and_one_that_was_converted_are_the_same_rows() -> None:
    table = numpy.random.default_rng(1).random((40, 4))
    table[9] = numpy.nan
    (found,) = _found(table[8:12].astype("float32"), frame=sys._getframe())
    assert found == Rows("table", [8, 9, 10, 11])


def test_a_row_that_stands_twice_is_not_known() -> None:
    table = numpy.random.default_rng(2).random((40, 4))
    table[30] = table[5]
    (found,) = _found(table[4:7].copy(), frame=sys._getframe())
    assert found == Rows("table", [4, UNKNOWN, 6])


def test_arrays_of_objects_and_dictionaries_have_names() -> None:
    class Holder:
        def __init__(self) -> None:
            self.inputs = numpy.random.default_rng(3).random((20, 2))

    holder, kept = Holder(), {"y": numpy.random.default_rng(4).random((20, 1))}
    first, second = _found(holder.inputs[3:6].copy(), kept["y"][3:6].copy(), frame=sys._getframe())
    assert first == Rows("holder.inputs", [3, 4, 5])
    assert second == Rows("kept['y']", [3, 4, 5])


def test_small_numbers_alone_are_found_nowhere() -> None:
    order = numpy.arange(100)
    (found,) = _found(order[5:9].copy(), frame=sys._getframe())
    assert found is None


def test_an_array_of_another_width_is_no_source() -> None:
    table = numpy.zeros((40, 4))
    (found,) = _found(numpy.ones((4, 3)), frame=sys._getframe())
    assert found is None
    assert not table.any()
