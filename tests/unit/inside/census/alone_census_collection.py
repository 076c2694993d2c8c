"""A census leaves the program's garbage collector to the program, and looks at types without asking them anything."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator

import numpy
import pytest

from whydied.inside.census import census
from whydied.records import CensusTaken


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    threshold = gc.get_threshold()
    yield
    gc.enable()
    gc.set_threshold(*threshold)


def _survey_with(meanwhile: object) -> None:
    def publish(walked: CensusTaken) -> None:
        meanwhile()  # type: ignore[operator]

    census.survey(census.Plan(trigger="test", whole=True, seconds=5.0), publish)


def test_what_the_program_asks_for_during_a_census_stands() -> None:
    _survey_with(gc.disable)
    assert not gc.isenabled()
    _survey_with(gc.enable)
    assert gc.isenabled()
    _survey_with(lambda: gc.set_threshold(123, 4, 5))
    assert gc.get_threshold() == (123, 4, 5)


def test_the_program_sees_no_difference_and_nothing_is_collected() -> None:
    seen: list[bool] = []
    collections: list[str] = []

    def meanwhile() -> None:
        seen.append(gc.isenabled())
        gc.callbacks.append(note)
        kept = [[] for _ in range(100_000)]
        gc.callbacks.remove(note)
        del kept

    def note(phase: str, info: dict[str, int]) -> None:
        collections.append(phase)

    before = gc.get_threshold()
    _survey_with(meanwhile)
    assert (seen, collections) == ([True], [])
    assert gc.get_threshold() == before


def test_values_beyond_float32_are_compared_without_a_warning() -> None:
    rows = numpy.linspace(1e300, 1.7e308, 400_000)
    again = rows.copy()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert census._sampled(rows) is None
        assert census.take("test") is not None
    assert told == []
    del again


class Unhashable(type):
    touched = 0

    def __eq__(cls, other: object) -> bool:
        Unhashable.touched += 1
        raise ValueError("not to be compared")

    __hash__ = None  # type: ignore[assignment]


class Odd(metaclass=Unhashable):
    def __hash__(self) -> int:
        return 1


class OddBytes(bytes, metaclass=Unhashable):
    pass


def test_classes_are_not_compared_and_not_hashed() -> None:
    crowd = [[Odd(), OddBytes(b"x" * (1 << 20))] for _ in range(50)]
    named = {Odd(): bytearray(3 << 20)}
    Unhashable.touched = 0
    taken = census.take("test")
    assert Unhashable.touched == 0
    assert taken is not None
    sizes = {group.type.rpartition(".")[2]: group.size_bytes for group in taken.groups}
    assert sizes["OddBytes"] >= 50 << 20
    assert sizes["bytearray"] >= 3 << 20
    del crowd, named
