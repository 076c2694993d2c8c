from __future__ import annotations

import ast
import warnings
from pathlib import Path
from typing import Any

import pytest

from whydied.source.text import Source, read_sources

TEXT = """\
x = call(
    1,
    2,
)
if (
    x
):
    y = 1
with open("f") as f: z = f.read(
)
@decorate
def g():
    return x

class A:
    @property
    def b(self):
        return 1
match x:
    case 1:
        pass
try:
    pass
except ValueError:
    w = 2
"""


@pytest.mark.parametrize(
    ("line", "first", "last"),
    [
        (3, 1, 4),
        (6, 5, 7),
        (8, 8, 8),
        (10, 9, 10),
        (13, 13, 13),
        (18, 18, 18),
        (15, 15, 15),
        (19, 19, 19),
        (21, 21, 21),
        (24, 24, 24),
        (25, 25, 25),
    ],
)
def test_a_line_belongs_to_its_innermost_statement(line: int, first: int, last: int) -> None:
    found = Source(TEXT).statement(line)
    assert found is not None
    assert (found.line, found.end_line) == (first, last)


def test_a_file_that_is_no_python_still_has_lines() -> None:
    found = Source("%magic\nx = = 1\n").statement(2)
    assert found is not None
    assert (found.line, found.source) == (2, "x = = 1")
    assert Source("x = = 1").tree.body == []


@pytest.mark.parametrize("line", [0, -1, 99])
def test_a_line_that_is_not_there(line: int) -> None:
    assert Source(TEXT).statement(line) is None


@pytest.mark.parametrize("separator", ["\x0c", "\x0b", "\x1c", "\x85", "\u2028"])
def test_only_python_s_own_line_ends_count(separator: str) -> None:
    found = Source(f"a = 1  # one{separator}two\nb = 2\nc = 3\n").statement(2)
    assert found is not None
    assert found.source == "b = 2"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end(end: str) -> None:
    source = Source(end.join(["x = call(", "    1,", ")", "y = 2", ""]))
    assert len(source.lines) == 4
    found = source.statement(2)
    assert found is not None
    assert (found.line, found.end_line) == (1, 3)


def test_a_byte_order_mark_is_no_part_of_the_source(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"\xef\xbb\xbfx = (\n    1)\n")
    for source in (read_sources([str(file)])[str(file)], Source("\ufeffx = (\n    1)\n")):
        found = source.statement(2)
        assert found is not None
        assert (found.line, found.source) == (1, "x = (\n    1)")


def test_an_empty_file_has_no_lines() -> None:
    assert Source("").lines == []
    assert Source("").statement(1) is None


def test_a_file_is_read_in_the_encoding_that_it_states(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"#!/usr/bin/python\n# -*- coding: latin-1 -*-\nna\xefve = 1\n")
    source = read_sources([str(file)])[str(file)]
    assert source.lines[-1] == "na\u00efve = 1"
    assert [node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name)] == ["na\u00efve"]


@pytest.mark.parametrize("coding", [b"no-such-encoding", b"utf-8"])
def test_what_is_not_in_its_encoding_is_read_as_far_as_it_goes(coding: bytes, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"# coding: " + coding + b"\nx = '\xff'\n")
    assert read_sources([str(file)])[str(file)].lines[1] == "x = '\ufffd'"


@pytest.mark.parametrize("action", ["error", "always"])
def test_the_parser_warns_of_nothing(action: Any) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)
        assert len(Source(r'a = "\d"' + "\nb = (1,\n  1 is 1)\n").tree.body) == 2
    assert caught == []
