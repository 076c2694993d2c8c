"""Constants behind the sizes of an Input, where the data have them too."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.test_edits import FILE, lines_of, source_of
from whydied.source.edits.shapes.shared_sizes import shared_sizes

CONFIG = "/home/me/work/config.py"


def test_all_that_uses_the_constants_follows() -> None:
    source = source_of("H = 101\nW = 101\ndata = resize(raw, (H, W))\nx = Input((H, W, 1), name='img')\n")
    edits = shared_sizes({FILE: source}, FILE, 4, [101, 101, 1], [104, 104, 1])
    assert edits is not None
    assert lines_of(source, *edits)[:2] == ["H = 104", "W = 104"]


def test_one_constant_for_both_sides_is_written_once_in_the_file_that_has_it() -> None:
    config = source_of("SIDE = 84\n")
    program = source_of("import config\ndata = load(config.SIDE)\nx = Input(shape=(config.SIDE, config.SIDE, 3))\n")
    edits = shared_sizes({FILE: program, CONFIG: config}, FILE, 3, [84, 84, 3], [88, 88, 3])
    assert edits is not None
    assert [(one.file, one.text) for one in edits] == [(CONFIG, "88")]


@pytest.mark.parametrize(
    "text",
    [
        "H = 101\nx = Input((H, H, 1))\n",
        "H = 101\ndata = resize(raw, H)\nx = Input((101, 101, 1))\n",
        "H = size()\ndata = resize(raw, H)\nx = Input((H, H, 1))\n",
        "H = 101\nH = 101\ndata = resize(raw, H)\nx = Input((H, H, 1))\n",
    ],
)
def test_sizes_that_the_data_do_not_share_are_left(text: str) -> None:
    source = source_of(text)
    assert shared_sizes({FILE: source}, FILE, text.count("\n"), [101, 101, 1], [104, 104, 1]) is None
