from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from whydied.inside.guest import live_source

TEXT = """\
value = call(
    1,
    2,
)
if (value and
        value > 2):
    other = [
        1,
    ]
def f(a,
      b):
    return a
"""


@pytest.mark.parametrize(
    ("line", "first", "last"),
    [(1, 1, 4), (3, 1, 4), (5, 5, 6), (6, 5, 6), (8, 7, 9), (11, 10, 11), (12, 12, 12), (99, 99, 99)],
)
def test_the_statement_of_a_line(line: int, first: int, last: int, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(TEXT)
    assert live_source.span(str(path), line) == (first, last)


def test_what_cannot_be_read_gives_the_line(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def (")
    (tmp_path / "binary.py").write_bytes(b"\0\xff")
    for name in ("broken.py", "binary.py", "missing.py"):
        assert live_source.span(str(tmp_path / name), 3) == (3, 3)
    assert live_source.span("<stdin>", 3) == (3, 3)


@pytest.mark.parametrize("action", ["error", "always"])
def test_the_parser_warns_of_nothing(action: Any, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(r'a = "\d"' + "\nb = (1,\n  1 is 1)\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)
        before = list(warnings.filters)
        assert live_source.span(str(path), 3) == (2, 3)
        assert warnings.filters == before
    assert caught == []
