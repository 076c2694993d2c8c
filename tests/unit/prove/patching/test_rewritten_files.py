"""What is made of the user's files: the edit, and every other byte as it was; or one sentence why not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.prove.patching.recorded import recorded_file, recording_with
from whydied import redact
from whydied.errors import NotEditable
from whydied.prove.patching.rewritten_files import edited_files
from whydied.source.edits.edit import Edit, line_before
from whydied.source.text import Source, decoded


@pytest.mark.parametrize(
    "content",
    [
        b"a = 1\nb = 2\n",
        b"a = 1\r\nb = 2\r\n",
        b"a = 1\r\nb = 2\nif c:\n\tc\r",
        b"a = 1\r\nb = 2",
        b"\xef\xbb\xbfb = 2",
        "# coding: latin-1\nc = 'größe'; b = 2\n".encode("latin-1"),
        "#!/usr/bin/python\n# -*- coding: euc-jp -*-\nc = '日本'; b = 2\n".encode("euc-jp"),
        "c = 'größe'; b = 2\n".encode(),
        b"if x:\n\tb = 2\n\t# \x0c \xc2\x85\n",
    ],
)
def test_all_other_bytes_stay(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "train.py"
    recording = recorded_file(path, content)
    lines = recording.sources[str(path)].lines
    line = next(at for at, text in enumerate(lines, 1) if "b = 2" in text)
    column = lines[line - 1].index("2")
    found = edited_files(recording, [Edit(str(path), (line, column), (line, column + 1), "30")])
    assert found == {str(path): content.replace(b"b = 2", b"b = 30")}
    assert path.read_bytes() == content


def test_lines_that_are_added_end_as_the_others(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    recording = recorded_file(path, b"import os\r\n\r\nprint(os)")
    edit = line_before(recording.sources[str(path)], str(path), 1, "import re")
    assert edited_files(recording, [edit]) == {str(path): b"import re\r\nimport os\r\n\r\nprint(os)"}


def test_secrets_of_the_file_stay_in_it(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    real = b"api_key = 'abcdefgh12345'\nn = 1\n"
    path.write_bytes(real)
    kept = redact.source(real)
    assert b"****" in kept
    recording = recording_with(**{str(path): Source(decoded(kept))})
    assert edited_files(recording, [Edit(str(path), (2, 4), (2, 5), "2")])[str(path)] == real.replace(b"1\n", b"2\n")
    path.write_bytes(real.replace(b"api_key", b"her_key"))
    with pytest.raises(NotEditable, match="line 1 differs"):
        edited_files(recording, [Edit(str(path), (2, 4), (2, 5), "2")])


@pytest.mark.parametrize(
    ("now", "line"),
    [
        (b"a = 1\nb = 2\nc = 3 * 4\nmore = 1\n", 4),
        (b"a = 1\nb = 2\n", 3),
        (b"a = 1\nb = 5\nc = 3 * 4\n", 2),
        (b"a = 1\nb = 2\nc = 3 + 4\n", 3),
    ],
)
def test_a_file_that_changed_since_is_refused_with_its_line(tmp_path: Path, now: bytes, line: int) -> None:
    path = tmp_path / "train.py"
    recording = recorded_file(path, b"a = 1\nb = 2\nc = 3 * 4\n")
    path.write_bytes(now)
    with pytest.raises(NotEditable, match=f"changed since the run: line {line} differs") as raised:
        edited_files(recording, [Edit(str(path), (1, 4), (1, 5), "2")])
    assert "run it again" in str(raised.value.hint)


def test_other_ends_of_lines_are_the_same_program(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    recording = recorded_file(path, b"a = 1\nb = 2\n")
    path.write_bytes(b"a = 1\r\nb = 2\r\n")
    assert edited_files(recording, [Edit(str(path), (1, 4), (1, 5), "2")])[str(path)] == b"a = 2\r\nb = 2\r\n"


def test_what_cannot_be_edited_says_why(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    recording = recorded_file(path, b"# coding: latin-1\na = 1\n")
    edit = Edit(str(path), (2, 4), (2, 5), "2")
    with pytest.raises(NotEditable, match="does not leave a program"):
        edited_files(recording, [Edit(str(path), (2, 4), (2, 5), "(")])
    with pytest.raises(NotEditable, match="in its encoding, latin-1"):
        edited_files(recording, [Edit(str(path), (2, 4), (2, 5), "'训'")])
    with pytest.raises(NotEditable, match="was not kept in the recording"):
        edited_files(recording, [Edit("/elsewhere/other.py", (2, 4), (2, 5), "2")])
    recording.edited = frozenset({str(path)})
    with pytest.raises(NotEditable, match="what ran is not known"):
        edited_files(recording, [edit])
    recording.edited = frozenset()
    path.unlink()
    with pytest.raises(NotEditable, match="No such file"):
        edited_files(recording, [edit])


def test_files_are_edited_together(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("train.py", "sizes.py")]
    for path in paths:
        path.write_bytes(b"n = 1\n")
    recording = recording_with(**{str(path): Source("n = 1\n") for path in paths})
    edits = [Edit(str(path), (1, 4), (1, 5), "2") for path in paths]
    assert edited_files(recording, edits) == {str(path): b"n = 2\n" for path in paths}
    paths[1].write_bytes(b"n = 3\n")
    with pytest.raises(NotEditable, match=r"sizes\.py"):
        edited_files(recording, edits)


def test_what_the_program_found_in_the_place_of_a_file_is_edited(tmp_path: Path) -> None:
    """A run with an edited source goes on from that, and not from the user's file."""
    file = tmp_path / "train.py"
    file.write_text("batch = 64\n")
    recording = recording_with(**{str(file): Source("batch = 32\n")})
    edit = Edit(str(file), (1, 8), (1, 10), "16")
    with pytest.raises(NotEditable, match="line 1 differs"):
        edited_files(recording, [edit])
    assert edited_files(recording, [edit], {str(file): b"batch = 32\n"}) == {str(file): b"batch = 16\n"}
