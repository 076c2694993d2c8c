"""An edited notebook: the lines of its cell and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.prove.patching.recorded import recorded_cells, recording_with
from whydied.diagnose.finding import Fix
from whydied.errors import NotEditable
from whydied.prove.patching.notebook_patches import with_patch_of_file
from whydied.prove.patching.notebook_text import NotebookText
from whydied.prove.patching.rewritten_files import edited_files
from whydied.read.cells import CellSource
from whydied.source.edits.edit import Edit


def notebook(path: Path, *cells: str, lines: bool = True, **words: Any) -> bytes:
    """A notebook with a cell of words, and outputs of a cell."""
    nodes: Any = nbformat.v4
    made = nodes.new_notebook(cells=[nodes.new_markdown_cell("# größe"), *map(nodes.new_code_cell, cells)])
    made.cells[1].outputs = [nodes.new_output("display_data", data={"image/png": "iVBOR" * 50, "text/plain": "'a'"})]
    for cell in made.cells if lines else ():
        cell["source"] = cell["source"].splitlines(keepends=True)
    text = json.dumps(made, **{"indent": 1, "ensure_ascii": False, "sort_keys": True, **words}) + "\n"
    path.write_text(text, encoding="utf-8", newline="")
    return text.encode()


def changed(before: bytes, after: bytes) -> list[tuple[bytes, bytes]]:
    old, new = before.split(b"\n"), after.split(b"\n")
    assert len(old) == len(new)
    return [pair for pair in zip(old, new, strict=True) if pair[0] != pair[1]]


def test_only_the_line_of_the_cell_differs(tmp_path: Path) -> None:
    path = tmp_path / "work.ipynb"
    before = notebook(path, "%matplotlib inline\nn = 'ä\"'", "!ls\nprint(m)\n")
    recording = recorded_cells(path, "%matplotlib inline\nn = 'ä\"'", "!ls\nprint(m)\n")
    # What IPython runs is not what stands there.
    code = "get_ipython().system('ls')\nprint(m)\n"
    recording.sources[f"{path}/cell [2]"] = CellSource("!ls\nprint(m)\n", code, 0)
    after = edited_files(recording, [Edit(f"{path}/cell [2]", (2, 6), (2, 7), "n")])[str(path)]
    assert changed(before, after) == [(rb'    "print(m)\n"', rb'    "print(n)\n"')]
    with pytest.raises(NotEditable, match="does not leave a program"):
        edited_files(recording, [Edit(f"{path}/cell [2]", (1, 1), (1, 3), "pwd")])


@pytest.mark.parametrize("words", [{}, {"indent": None}, {"ensure_ascii": True}, {"indent": 4}, {"sort_keys": False}])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_any_form_of_the_file_is_kept(tmp_path: Path, words: dict[str, Any], ends: str) -> None:
    path = tmp_path / "work.ipynb"
    before = notebook(path, "a = 1\nb = 'ü'", "print(m)", **words).replace(b"\n", ends.encode())
    path.write_bytes(before)
    recording = recorded_cells(path, "a = 1\nb = 'ü'", "print(m)")
    edits = [Edit(f"{path}/cell [1]", (1, 4), (1, 5), "2"), Edit(f"{path}/cell [2]", (1, 0), (1, 0), "m = 'ö'\n")]
    after = edited_files(recording, edits)[str(path)]
    old, new = json.loads(before), json.loads(after)
    assert ["".join(cell["source"]) for cell in new["cells"]] == ["# größe", "a = 2\nb = 'ü'", "m = 'ö'\nprint(m)"]
    assert all(isinstance(cell["source"], list) for cell in new["cells"])
    for notebook_value in (old, new):
        for cell in notebook_value["cells"]:
            del cell["source"]
    assert old == new
    # Put back, it is the file that it was.
    text = NotebookText(str(path), after)
    assert text.replaced({1: "a = 1\nb = 'ü'", 2: "print(m)"}) == before


def test_a_source_may_be_one_string(tmp_path: Path) -> None:
    path = tmp_path / "work.ipynb"
    before = notebook(path, "print(m)\nprint(2)", lines=False)
    after = edited_files(recorded_cells(path, "print(m)\nprint(2)"), [Edit(f"{path}/cell [1]", (1, 6), (1, 7), "n")])[
        str(path)
    ]
    assert after == before.replace(b"print(m)", b"print(n)")


def test_the_cell_is_found_by_its_place_or_by_its_text(tmp_path: Path) -> None:
    path = tmp_path / "work.ipynb"
    before = notebook(path, "n = 1", "", "f(n)", "n = 1")
    twice = recorded_cells(path, "n = 1", "f(n)", "n = 1")
    after = edited_files(twice, [Edit(f"{path}/cell [3]", (1, 4), (1, 5), "2")])[str(path)]
    last = before.rindex(b"n = 1")
    assert after == before[:last] + b"n = 2" + before[last + 5 :]
    # Run in another order, the text tells; of a text that stands there twice nobody knows which it was.
    other = recording_with(
        **{f"{path}/cell [{at}]": CellSource(text, "", 0) for at, text in [(4, "f(n)"), (9, "n = 1")]}
    )
    assert b"f(2)" in edited_files(other, [Edit(f"{path}/cell [4]", (1, 2), (1, 3), "2")])[str(path)]
    with pytest.raises(NotEditable, match="has 2 cells with the text of cell"):
        edited_files(other, [Edit(f"{path}/cell [9]", (1, 4), (1, 5), "2")])


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "work.ipynb"
    recording = recorded_cells(path, "n = 1")
    edits = [Edit(f"{path}/cell [1]", (1, 4), (1, 5), "2")]
    with pytest.raises(NotEditable, match=r"the notebook of cell \[1\] is not known"):
        edited_files(recording, edits)
    notebook(path, "n = 3")
    with pytest.raises(NotEditable, match=r"no cell with the text that ran as cell \[1\]"):
        edited_files(recording, edits)
    for content in (b"", b"{}", b'{"nbformat": 3, "worksheets": []}', b'{"nbformat": 4, "cells": [', b"\xff"):
        path.write_bytes(content)
        with pytest.raises(NotEditable, match="cannot be read as a notebook of version 4"):
            edited_files(recording, edits)


def test_the_report_has_the_patch_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "work.ipynb"
    cell = 'api_key = "abcdefgh12345"\nn = 1\nprint(n)\nprint(n)'
    notebook(path, cell)
    recording = recorded_cells(path, cell)
    fix = Fix(title="a", kind="b", answers="F1", patch="c", edits=[Edit(f"{path}/cell [1]", (3, 6), (3, 7), "2")])
    shown = with_patch_of_file(recording, fix).patch or ""
    assert r'-    "print(n)\n",' in shown
    assert r'+    "print(2)\n",' in shown
    assert "abcdefgh" not in shown
    assert "iVBOR" not in shown
    path.unlink()
    assert with_patch_of_file(recording, fix) == fix


@given(st.lists(st.text(st.sampled_from('a"\\\nö \t'), max_size=12), min_size=1, max_size=4), st.data())
def test_random_cells(texts: list[str], data: st.DataObject) -> None:
    cells = [{"cell_type": "code", "source": text.splitlines(keepends=True), "outputs": []} for text in texts]
    before = json.dumps({"cells": cells, "nbformat": 4}, indent=1).encode()
    text = NotebookText("a.ipynb", before)
    assert [cell.text for cell in text.cells] == texts
    at = data.draw(st.integers(0, len(texts) - 1))
    new = data.draw(st.text(st.sampled_from('b"\\\nü'), max_size=12))
    value = json.loads(text.replaced({at: new}))
    assert ["".join(cell["source"]) for cell in value["cells"]] == [*texts[:at], new, *texts[at + 1 :]]
    assert NotebookText("a.ipynb", text.replaced({at: texts[at]})).replaced({}) == before
