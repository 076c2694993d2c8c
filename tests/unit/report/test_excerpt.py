from __future__ import annotations

from pathlib import Path

from tests.handmade import location
from whydied.report.excerpt import excerpt

SOURCE = "import os\n\nx = 1\ny = [\n    x,\n    z,\n]\nprint(y)\n"


def test_two_lines_around_with_the_statements_first_line_marked(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(SOURCE)
    found = excerpt(location(file, 4, end_line=7, source="y = [\n    x,\n    z,\n]"))
    assert [(line.number, line.marked) for line in found] == [(3, False), (4, True), (5, False), (6, False)]


def test_first_and_last_line(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(SOURCE)
    assert [line.number for line in excerpt(location(file, 1))] == [1, 2, 3]
    assert [line.number for line in excerpt(location(file, 8))] == [6, 7, 8]


def test_white_space_that_all_lines_begin_with_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(SOURCE)
    assert [line.text for line in excerpt(location(file, 5))] == ["x = 1", "y = [", "    x,", "    z,", "]"]
    inner = location(file, 5, around=["    x,", "        z,"], around_line=5)
    assert [line.text for line in excerpt(inner)] == ["x,", "    z,"]


def test_a_file_that_is_not_known_leaves_the_recorded_line(tmp_path: Path) -> None:
    found = excerpt(location(tmp_path / "gone.py", 3, source="x = 2"))
    assert [shown.text for shown in found] == ["x = 2"]
    assert excerpt(location(tmp_path / "gone.py", 3)) == []
