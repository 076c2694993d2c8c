from __future__ import annotations

import os
from pathlib import Path

from tests.handmade import location
from whydied.report.excerpt import excerpt

SOURCE = "import os\n\nx = 1\ny = [\n    x,\n    z,\n]\nprint(y)\n"


def test_two_lines_around_with_the_statements_first_line_marked(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(SOURCE)
    found = excerpt(location(file, 4, end_line=7, source="y = [\n    x,\n    z,\n]"))
    assert [(line.number, line.marked) for line in found.lines] == [(3, False), (4, True), (5, False), (6, False)]
    assert found.remark is None


def test_first_and_last_line(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(SOURCE)
    assert [line.number for line in excerpt(location(file, 1)).lines] == [1, 2, 3]
    assert [line.number for line in excerpt(location(file, 8)).lines] == [6, 7, 8]


def test_a_changed_file_is_not_shown_as_what_ran(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text(SOURCE)
    for line in (3, 300):
        found = excerpt(location(file, line, source="x = 2"))
        assert [shown.text for shown in found.lines] == ["x = 2"]
        assert found.remark == "the file has changed since"


def test_a_file_that_is_gone_leaves_the_recorded_line(tmp_path: Path) -> None:
    found = excerpt(location(tmp_path / "gone.py", 3, source="x = 2"))
    assert [shown.text for shown in found.lines] == ["x = 2"]
    assert excerpt(location(tmp_path / "gone.py", 3)).lines == []


def test_neither_a_pipe_nor_a_directory_nor_a_huge_file_is_read(tmp_path: Path) -> None:
    pipe, huge = tmp_path / "pipe", tmp_path / "huge"
    os.mkfifo(pipe)
    with huge.open("wb") as file:
        file.truncate(1 << 30)
    for path in (pipe, huge, tmp_path):
        assert excerpt(location(path, 1)).lines == []


def test_odd_bytes_and_line_ends(tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_bytes(b"\xef\xbb\xbfx = 1\r\ny = '\xff'\r\n")
    assert [line.text for line in excerpt(location(file, 2)).lines] == ["x = 1", "y = '\ufffd'"]
