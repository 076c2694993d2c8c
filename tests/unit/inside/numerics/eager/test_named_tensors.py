"""Where the running frames hold an array, and that it is found again under the same name."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

numpy = pytest.importorskip("numpy")

from whydied.inside import journal  # noqa: E402
from whydied.inside.guest.frame_variables import variable  # noqa: E402
from whydied.inside.numerics.eager.named_tensors import MISSING, Place, found_again, holdings  # noqa: E402


@pytest.fixture(autouse=True)
def recorded(tmp_path: Path) -> Any:
    (tmp_path / "streams").mkdir()
    yield journal.open_journal(str(tmp_path))
    journal.close()


def _place_of(value: Any, frame: Any) -> Place:
    return next(holding.place for holding in holdings(frame) if holding.value is value)


class _Trainer:
    def __init__(self, batch: Any) -> None:
        self.batch = batch

    def step(self) -> tuple[Place, Any]:
        place = _place_of(self.batch, sys._getframe())
        self.batch = self.batch + 1
        return place, found_again(place, sys._getframe())


def test_an_attribute_of_self_is_found_again_with_its_new_value() -> None:
    place, again = _Trainer(numpy.zeros(3)).step()
    assert place.text == "self.batch"
    assert again.tolist() == [1.0, 1.0, 1.0]


def test_items_are_written_as_in_the_source() -> None:
    batch = {"image": numpy.zeros(2), "more": (1, numpy.ones(2))}
    frame = sys._getframe()
    assert _place_of(batch["image"], frame).text == "batch['image']"
    assert _place_of(batch["more"][1], frame).text == "batch['more'][1]"
    place = _place_of(batch["image"], frame)
    del batch["image"]
    assert found_again(place, frame) is MISSING


def test_a_name_that_is_rebound_gives_the_new_value_and_one_that_is_gone_none() -> None:
    x = numpy.zeros(2)
    frame = sys._getframe()
    place = _place_of(x, frame)
    x = numpy.ones(2)
    assert found_again(place, frame) is x
    del x
    assert found_again(place, frame) is MISSING
    assert found_again(place._replace(code=test_items_are_written_as_in_the_source.__code__), frame) is MISSING


def test_one_variable_of_a_frame_is_read_without_a_snapshot() -> None:
    kept = [1]

    def inner(argument: int) -> Any:
        frame = sys._getframe()
        return [variable(frame, name, "none") for name in ("argument", "kept", "later", "absent")] + [kept]

    assert inner(5)[:4] == [5, kept, "none", "none"]
    assert variable(sys._getframe(), "kept") is kept
