"""Notebooks: cells as one text, places by cell, and the two rules about their order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.lint.linted import rule_of
from whydied.lint.checking import Checked
from whydied.lint.joined_cells import joined
from whydied.lint.project_files import check_files
from whydied.lint.rules_table import STATIC_RULES


def notebook(*cells: str, labels: tuple[int | None, ...] = ()) -> bytes:
    numbers = [*labels, *[None] * (len(cells) - len(labels))]
    code = [
        {"cell_type": "code", "source": text.splitlines(keepends=True), "execution_count": number, "outputs": []}
        for text, number in zip(cells, numbers, strict=True)
    ]
    content = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [{"cell_type": "markdown", "source": "#"}, *code],
    }
    return json.dumps(content).encode()


def checked(directory: Path, data: bytes, code: str = "") -> Checked:
    file = directory / "notes.ipynb"
    file.write_bytes(data)
    return check_files([file], [rule_of(code)] if code else STATIC_RULES)


def places(found: Checked) -> list[tuple[int | None, int, str]]:
    return [(one.location.cell, one.location.line, one.location.source) for one in found.findings]


def test_a_fault_across_cells_is_placed_in_its_cell(tmp_path: Path) -> None:
    data = notebook(
        "import tensorflow as tf\nkept = []",
        "%matplotlib inline\n!pip install x\nfor _ in range(5000):\n    kept.append(tf.ones(9))",
    )
    assert places(checked(tmp_path, data, "LNT001")) == [(2, 4, "kept.append(tf.ones(9))")]


def test_what_is_not_python_is_left_out() -> None:
    found = joined(
        notebook(
            "# a comment\n%%bash\nls -l\n",
            "%%time\nx = 1\n",
            "files = !ls\nx?\n",
            "!pip install a \\\n  b\ny = 2\n",
            "  z = 3\n  w = z\n",
        )
    )
    assert found.errors == ()
    stored = [line for line in found.source.lines if line.strip() not in ("", "pass")]
    assert stored == ["x = 1", "files = None", "y = 2", "z = 3", "w = z"]
    assert [cell.first for cell in found.cells] == sorted(cell.first for cell in found.cells)


def test_a_cell_that_is_not_python_costs_only_itself(tmp_path: Path) -> None:
    data = notebook("import tensorflow as tf\nkept = []", "print 'old'", "while 1:\n    kept.append(tf.ones(9))")
    found = checked(tmp_path, data)
    assert [(one.cell, one.line) for one in found.errors] == [(2, 1)]
    assert places(found) == [(3, 2, "kept.append(tf.ones(9))")]


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"cells": 3}', b"\xff"])
def test_what_is_not_a_notebook_is_one_error(tmp_path: Path, data: bytes) -> None:
    found = checked(tmp_path, data)
    assert found.findings == []
    assert len(found.errors) == 1
    assert found.errors[0].message.startswith("is not a notebook")


def test_a_name_before_its_cell(tmp_path: Path) -> None:
    found = checked(tmp_path, notebook("print(rate)", "rate = 0.1"), "LNT019")
    assert places(found) == [(1, 1, "print(rate)")]
    assert found.findings[0].message == "`rate` is used here, but only cell 2 makes it"


@pytest.mark.parametrize(
    "cells",
    [
        ("rate = 0.1", "print(rate)"),
        ("def show():\n    print(rate)", "rate = 0.1\nshow()"),
        ("print([rate for rate in (1, 2)])", "rate = 0.1"),
        ("from settings import *\nprint(rate)", "rate = 0.1"),
        ("%run settings.py\nprint(rate)", "rate = 0.1"),
        ("try:\n    rate\nexcept NameError:\n    pass", "rate = 0.1"),
        ("print(unknown)", "rate = 0.1"),
        ("print(len)", "len = 3"),
        ("total = 0\nfor total in (1,):\n    print(total)", "total = 1"),
    ],
)
def test_names_that_are_there(tmp_path: Path, cells: tuple[str, ...]) -> None:
    assert places(checked(tmp_path, notebook(*cells), "LNT019")) == []


def test_a_stale_output(tmp_path: Path) -> None:
    found = checked(tmp_path, notebook("rate = 0.1", "print(rate)", labels=(7, 3)), "LNT020")
    assert [(one.location.cell, one.message) for one in found.findings] == [
        (2, "this cell ran as [3], before cell 1 made the `rate` that it reads as [7]")
    ]


@pytest.mark.parametrize("labels", [(3, 7), (0, 0), (None, 3), (7, None), (7, 0)])
def test_labels_that_say_nothing(tmp_path: Path, labels: tuple[int | None, ...]) -> None:
    assert places(checked(tmp_path, notebook("rate = 0.1", "print(rate)", labels=labels), "LNT020")) == []


def test_cells_that_share_no_name(tmp_path: Path) -> None:
    assert places(checked(tmp_path, notebook("rate = 0.1", "print(1)", labels=(7, 3)), "LNT020")) == []
    both = notebook("rate = 0.1", "rate = 0.2", "print(rate)", labels=(7, 2, 3))
    assert places(checked(tmp_path, both, "LNT020")) == []
