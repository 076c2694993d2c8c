"""Which values are looked at when the program reads them, and how often."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import numpy
import pytest

from whydied.inside.hooks import read_numerics


class Tensor:
    """What the hook asks of a tensor."""

    def __init__(self, value: Any, kind: int = 1) -> None:
        self._array = numpy.asarray(value)
        self._kind = kind
        self.asked = 0

    def _datatype_enum(self) -> int:
        return self._kind

    def _num_elements(self) -> int:
        return int(self._array.size)

    def _rank(self) -> int:
        return int(self._array.ndim)

    def _numpy(self) -> Any:
        self.asked += 1
        return self._array if self._array.ndim else self._array[()]


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[Tensor]:
    seen: list[Tensor] = []

    def note(tensor: Tensor, frame: FrameType) -> None:
        seen.append(tensor)

    monkeypatch.setattr(read_numerics, "_found", note)
    monkeypatch.setattr(read_numerics, "_first", 100)
    monkeypatch.setattr(read_numerics, "_until", 0.0)
    return seen


def read(tensor: Tensor) -> None:
    read_numerics._read(tensor, sys._getframe())


@pytest.mark.parametrize("value", [float("nan"), [1.0, float("nan")]])
def test_a_small_value_with_nan_is_found(found: list[Tensor], value: Any) -> None:
    tensor = Tensor(value)
    read(tensor)
    assert found == [tensor]


@pytest.mark.parametrize(
    "tensor", [Tensor(1.0), Tensor(float("inf")), Tensor(3, kind=3), Tensor([float("nan")] * 17), Tensor([])]
)
def test_others_are_not(found: list[Tensor], tensor: Tensor) -> None:
    read(tensor)
    assert found == []


def test_after_the_first_ones_readings_that_follow_closely_are_left_out(
    found: list[Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter([10.0, 10.001, 10.002, 11.0, 11.001])
    monkeypatch.setattr(read_numerics, "perf_counter", lambda: next(moments))
    monkeypatch.setattr(read_numerics, "_first", 1)
    tensor = Tensor(1.0)
    for _ in range(4):
        read(tensor)
    assert tensor.asked == 3
