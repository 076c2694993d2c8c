"""Which bindings a line can see."""

from __future__ import annotations

import ast

import pytest

from whydied.source.origins.reaching import reaching
from whydied.source.results import gaps


@pytest.mark.parametrize(
    ("text", "line", "lines", "from_before"),
    [
        ("x = 1\nx = 2\nprint(x)", 3, [2], False),
        ("x = 1\nif a:\n  x = 2\nprint(x)", 4, [1, 3], False),
        ("if a:\n  x = 2\nelse:\n  x = 3\nprint(x)", 5, [2, 4], False),
        ("if a:\n  x = 2\nelse:\n  raise E\nprint(x)", 5, [2], False),
        ("x = 1\nfor i in r:\n  use(x)\n  x = f(x)", 3, [1, 4], False),
        ("for x in r:\n  use(x)\n  x = 1", 2, [1], False),
        ("for i in r:\n  if c: continue\n  x = 2\nprint(x)", 4, [3], True),
        ("try:\n  x = 2\nexcept E:\n  x = 3\nprint(x)", 5, [2, 4], False),
        ("with f() as x:\n  print(x)", 2, [1], False),
        ("a, (b, x) = f()\nprint(x)", 2, [1], False),
    ],
)
def test_branches_and_loops(text: str, line: int, lines: list[int], from_before: bool) -> None:
    found = reaching("x", ast.parse(text), line)
    assert ([one.line for one in found.bindings], found.from_before) == (lines, from_before)


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("if a: return 1\n  elif b: return 2", [2]),
        ("for x in a:\n    if x: return x", [2]),
        ("if a: return 1\n  return 2", []),
        ("if a: return 1\n  else: raise E", []),
        ("if a: return None\n  return 2", [2]),
        ("while True:\n    if a: return 1", []),
        ("print(a)", []),
        ("yield a", []),
    ],
)
def test_ways_without_a_value(body: str, lines: list[int]) -> None:
    function = ast.parse(f"def f(a):\n  {body}").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert [one.line for one in gaps(function)] == lines
