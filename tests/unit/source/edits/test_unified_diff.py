"""Patches as other programs take them, and edits that leave every other character alone."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whydied.read.cells import CellSource
from whydied.source.edits.edit import Edit, edited, line_after, patch
from whydied.source.edits.unified_diff import difference
from whydied.source.text import Source

BODY = "import os\n\n\ndef size():\n    return 1\n\n\nprint('grün')\nn = 10\nprint(n)\nx = size()\nprint(x)\n"
ENDS = ["\n", "\r\n", "\r"]

TOOLS = {
    "patch": ["patch", "-p1", "--no-backup-if-mismatch", "--fuzz=0"],
    "git": ["git", "apply", "--whitespace=nowarn"],
}


def _apply(tool: str, text: str, place: Path) -> None:
    done = subprocess.run(TOOLS[tool], cwd=place, input=text.encode(), capture_output=True)
    assert done.returncode == 0, (text, done.stdout, done.stderr)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("name", ["train.py", "my work/train me.py", "größe/训练.py", 'a"b\\c.py', "tab\there.py"])
def test_a_file_of_any_name_is_patched(tmp_path: Path, tool: str, name: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(BODY)
    text = patch({str(file): Source(BODY)}, [Edit(str(file), (9, 4), (9, 6), "5")], str(tmp_path))
    assert text is not None
    _apply(tool, text, tmp_path)
    assert file.read_text() == BODY.replace("10", "5")
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [file]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_ends_of_lines_stay(tmp_path: Path, tool: str, end: str, last: bool) -> None:
    body = BODY.replace("\n", end) if last else BODY.replace("\n", end)[: -len(end)]
    (tmp_path / "train.py").write_bytes(body.encode())
    file, source = str(tmp_path / "train.py"), Source(body)
    edits = [Edit(file, (12, 6), (12, 7), "x + 1"), line_after(source, file, 12, "print('end')")]
    text = patch({file: source}, edits, str(tmp_path))
    assert text is not None
    assert text.count("\\ No newline at end of file\n") == (0 if last else 2)
    _apply(tool, text, tmp_path)
    expected = body.replace("print(x)", f"print(x + 1){end}print('end')")
    assert (tmp_path / "train.py").read_bytes() == expected.encode()


@pytest.mark.parametrize("tool", TOOLS)
def test_a_hidden_line_is_not_context(tmp_path: Path, tool: str) -> None:
    body = BODY.replace("print(n)", "key = 'abcdefgh'").replace("import os", "import os, sys")
    (tmp_path / "train.py").write_text(body)
    file, kept = str(tmp_path / "train.py"), Source(body.replace("abcdefgh", "********"))
    edits = [Edit(file, (9, 4), (9, 6), "5"), Edit(file, (11, 4), (11, 5), "_")]
    text = patch({file: kept}, edits[:1], str(tmp_path))
    assert text is not None
    assert "****" not in text
    text = patch({file: kept}, [*edits[1:], Edit(file, (1, 11), (1, 14), "re")], str(tmp_path))
    assert text is not None
    assert "****" not in text
    _apply(tool, text, tmp_path)
    assert (tmp_path / "train.py").read_text() == body.replace("sys", "re").replace("x = size", "x = _ize")


def test_files_of_two_places_are_named_from_the_top() -> None:
    sources = {"/home/ann/train.py": Source("a = 1\n"), "/data/sizes.py": Source("b = 1\n")}
    edits = [Edit(file, (1, 4), (1, 5), "2") for file in sources]
    text = patch(sources, edits, "/home/ann") or ""
    assert re.findall("^--- (.*)$", text, re.M) == ["a/home/ann/train.py", "a/data/sizes.py"]


def test_equal_texts_have_no_difference() -> None:
    assert difference("a\n", "a\n", "a.py") == ""


@st.composite
def _sources(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A program of assignments, and its pieces: what stands between the places of edits is a piece of its own."""
    number = draw(st.integers(1, 8))
    pieces: list[str] = [draw(st.sampled_from(["", "\ufeff"]))]
    for at in range(number):
        comment = draw(st.sampled_from(["", "  # größe", "\t# \x0c \u2028 ", "; y = '\t\x85'"]))
        end = draw(st.sampled_from(ENDS)) if at < number - 1 else draw(st.sampled_from([*ENDS, ""]))
        pieces += [f"v{at} = ", str(draw(st.integers(0, 99))), comment, end]
    return "".join(pieces), pieces


@settings(max_examples=200, deadline=None)
@given(_sources(), st.data())
def test_all_that_is_not_edited_stays(made: tuple[str, list[str]], data: st.DataObject) -> None:
    text, pieces = made
    source = Source(text)
    lines = (len(pieces) - 1) // 4
    chosen = data.draw(st.sets(st.integers(1, lines), min_size=1))
    more = data.draw(st.sets(st.integers(1, lines)))
    edits, expected = [], list(pieces)
    for line in sorted(chosen):
        name, value = pieces[4 * line - 3 : 4 * line - 1]
        edits.append(Edit("f", (line, len(name)), (line, len(name) + len(value)), "1000"))
        expected[4 * line - 2] = "1000"
    usual = next((end for end in pieces[4::4] if end), "\n")
    for line in sorted(more):
        edits.append(line_after(source, "f", line, "z = 1"))
        expected[4 * line - 1] += f"{pieces[4 * line] or usual}z = 1"
    assert edited(source, edits) == "".join(expected)
    assert source.exact == text


def test_lines_go_above_and_below_a_magic() -> None:
    text = "%matplotlib inline\nkept = []\n!ls"
    code = "get_ipython().run_line_magic('matplotlib', 'inline')\nkept = []\nget_ipython().system('ls')\n"
    cell = CellSource(text, code, 0)
    edits = [Edit("f", (1, 0), (1, 0), "import collections\n"), Edit("f", (2, 7), (2, 9), "collections.deque()")]
    below = Edit("f", (3, 3), (3, 3), "\nprint(kept)")
    assert edited(cell, [*edits, below]) == (
        "import collections\n%matplotlib inline\nkept = collections.deque()\n!ls\nprint(kept)"
    )
    assert edited(cell, [Edit("f", (3, 1), (3, 3), "pwd")]) is None
    assert edited(cell, [Edit("f", (1, 0), (1, 0), "import (\n")]) is None
