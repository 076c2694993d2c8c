from __future__ import annotations

import pytest

from whydied.read.source import Source

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


@pytest.mark.parametrize("line", [0, -1, 99])
def test_a_line_that_is_not_there(line: int) -> None:
    assert Source(TEXT).statement(line) is None
