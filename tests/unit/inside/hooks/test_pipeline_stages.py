"""What is read of stages and variables as they are made, without TensorFlow."""

from __future__ import annotations

import sys

import pytest

from whydied.inside.hooks import datasets, variables_made


def _interleave(cycle_length: int | None, inner: int | None = None) -> int:
    """Named as TensorFlow's function is, below which the function of an `interleave` is traced."""
    if inner is not None:
        return _interleave(inner)
    return datasets._copies(sys._getframe())


@pytest.mark.parametrize(
    ("lengths", "copies"), [((64,), 64), ((64, 4), 256), ((None,), 1), ((-1,), 1), ((0,), 1), ((8, -1), 8)]
)
def test_a_stage_is_there_as_often_as_the_interleaves_around_it_open_it(
    lengths: tuple[int | None, ...], copies: int
) -> None:
    assert _interleave(*lengths) == copies
    assert datasets._copies(sys._getframe()) == 1


class TensorShape:
    def __init__(self, defined: bool) -> None:
        self._defined = defined

    def is_fully_defined(self) -> bool:
        return self._defined


@pytest.mark.parametrize(
    ("names", "is_open"),
    [
        ({"shape": (None, 8)}, True),
        ({"shape": [3, None]}, True),
        ({"shape": (3, 8)}, False),
        ({"shape": TensorShape(False)}, True),
        ({"shape": TensorShape(True)}, False),
        ({"validate_shape": False}, True),
        ({"validate_shape": True}, False),
        ({"shape": None}, False),
        ({}, False),
    ],
)
def test_a_variable_may_be_resized_where_its_shape_was_left_open(names: dict[str, object], is_open: bool) -> None:
    assert variables_made._is_open(names) is is_open


class _BatchDataset:
    def __init__(self, rows: int) -> None:
        self._batch_size = rows


class _MapDataset:
    def __init__(self, before: object) -> None:
        self._input_dataset = before


class _FlatMapDataset(_MapDataset):
    """What gives other elements than it gets."""


def test_elements_are_batches_as_far_as_the_stages_keep_them() -> None:
    assert datasets._batch(_BatchDataset(64)) == 64
    assert datasets._batch(_MapDataset(_BatchDataset(64))) == 64
    assert datasets._batch(_FlatMapDataset(_BatchDataset(64))) is None
    assert datasets._batch(None) is None
