"""What is tried, in which order, and what is made of a program that fails of one thing after the other."""

from __future__ import annotations

from whydied.source.edits.edit import edited, line_edits
from whydied.source.text import Source

BEFORE = "first = 1\nsecond = 2\nthird = 3\n"
AFTER = "import math\nfirst = 1\nsecond = math.pi\n"


def test_edits_by_line_make_one_text_of_another():
    source = Source(BEFORE)
    edits = line_edits(source, "/p/train.py", AFTER)
    assert edited(source, edits) == AFTER
    assert line_edits(source, "/p/train.py", BEFORE) == []


def test_a_file_without_a_last_line_end_keeps_it():
    source = Source(BEFORE.rstrip("\n"))
    assert edited(source, line_edits(source, "/p/train.py", "first = 9\nsecond = 2\nthird = 3")) == (
        "first = 9\nsecond = 2\nthird = 3"
    )
