"""What one of several names gets: of a tuple, of a split, of what a function returns."""

from __future__ import annotations

import ast

import pytest

from whydied.source.assignments import part_for, returned


def _statement(text: str) -> ast.stmt:
    return ast.parse(text).body[0]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("a, b = x[:9], y[:9]", "b", "y[:9]"),
        ("a, (b, c) = x, (y, z)", "c", "z"),
        ("a, b, c, d = train_test_split(x, y, test_size=0.2)", "c", "y"),
        ("a, b = train_test_split(x)", "b", "x"),
    ],
)
def test_a_part(text: str, name: str, expected: str) -> None:
    found = part_for(_statement(text), name)
    assert found is not None
    assert ast.unparse(found) == expected


@pytest.mark.parametrize("text", ["a, b, c = train_test_split(x, y)", "a, b = load(x)", "b = y", "a, b = pair"])
def test_what_is_not_taken_apart(text: str) -> None:
    assert part_for(_statement(text), "b") is None


def test_what_a_function_gives_a_name() -> None:
    function = _statement("def days():\n    loads = make()\n    return loads, loads * 2\n")
    value, line = returned(function, _statement("first, second = days()"), "second")
    assert value is not None
    assert (ast.unparse(value), line) == ("loads * 2", 3)
    assert returned(
        _statement("def f():\n    if x:\n        return 1\n    return 2\n"), _statement("a = f()"), "a"
    ) == (None, 0)
