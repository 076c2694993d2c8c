"""Which lines differ between two texts, and the second without them."""

from __future__ import annotations

import textwrap

from whydied.compare.code import hunks, taken_back
from whydied.source.text import Source

GOOD = """
import keras

ROWS = 512
CLASSES = 3

model.fit(x, y, batch_size=64)
"""
BAD = """
import keras

# more of both
ROWS = 600
CLASSES = 5

model.fit(x, y, batch_size=64)
save(model)
"""


def of(text: str) -> Source:
    return Source(textwrap.dedent(text).lstrip())


def test_lines_that_stand_for_one_another_are_told_apart() -> None:
    found = hunks(of(GOOD), of(BAD), "/p/train.py")
    assert [(one.first, one.old, one.new) for one in found] == [
        (4, ["ROWS = 512"], ["ROWS = 600"]),
        (5, ["CLASSES = 3"], ["CLASSES = 5"]),
        (8, [], ["save(model)"]),
    ]


def test_comments_and_blanks_are_no_difference() -> None:
    assert hunks(of(GOOD), of(GOOD.replace("ROWS", "# so many\n\nROWS", 1)), "/p/train.py") == []


def test_a_statement_over_several_lines_stays_whole() -> None:
    before = "model.fit(\n    x=(\n        1),\n)\n"
    (hunk,) = hunks(Source(before), Source(before.replace("x=(\n        1", "y=(\n        2")), "/p/train.py")
    assert hunk.new == ["    y=(", "        2),"]


def test_any_of_them_can_be_taken_back() -> None:
    good, bad = of(GOOD), of(BAD)
    found = hunks(good, bad, "/p/train.py")
    assert taken_back(bad, found).replace("# more of both\n", "") == good.exact
    assert "CLASSES = 3" in taken_back(bad, found[1:2])
    assert "ROWS = 600" in taken_back(bad, found[1:2])
    assert "save(model)" not in taken_back(bad, found[2:])
