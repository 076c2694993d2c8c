"""Pictures that are declared with their channels first."""

from __future__ import annotations

from pathlib import Path

from tests.unit.diagnose.died_of import died_of
from whydied.diagnose.rules.shapes import channels_first

PROGRAM = """
    def Input(shape):
        return shape

    def Conv2D(filters, size):
        raise {raised}("the shapes differ")

    pictures = Input(shape=({shape}))
    Conv2D(8, (3, 3))
"""


def test_the_declaration_is_told_with_the_order_that_is_meant(tmp_path: Path) -> None:
    found = channels_first.check(died_of(tmp_path, PROGRAM.format(raised="ValueError", shape="3, 32, 32")))
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (7, "likely")
    assert "declared as (3, 32, 32)" in found.message
    assert "(32, 32, 3)" in found.advice[0]


def test_other_exceptions_and_channels_that_are_last(tmp_path: Path) -> None:
    assert channels_first.check(died_of(tmp_path, PROGRAM.format(raised="KeyError", shape="3, 32, 32"))) is None
    assert channels_first.check(died_of(tmp_path, PROGRAM.format(raised="ValueError", shape="32, 32, 3"))) is None
