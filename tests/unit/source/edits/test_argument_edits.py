"""Arguments taken out or put in another order."""

from __future__ import annotations

import ast

import pytest

from tests.unit.source.edits.test_edits import FILE, lines_of, source_of
from whydied.source.edits.argument_edits import drop_argument, drop_keyword, reorder
from whydied.source.trees import walk


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("f(a, b, c)", 0, "f(b, c)"),
        ("f(a, b, c)", 1, "f(a, c)"),
        ("f(a, b, c)", 2, "f(a, b)"),
        ("f(a)", 0, "f()"),
        ("f(a, k=1)", 0, "f(k=1)"),
    ],
)
def test_an_argument_goes_with_its_comma(text: str, at: int, expected: str) -> None:
    source = source_of(text)
    call = walk(source.tree, ast.Call)[0]
    assert lines_of(source, drop_argument(source, FILE, call, call.args[at])) == [expected]


def test_keywords_that_stand_side_by_side_can_all_be_dropped() -> None:
    source = source_of("f(a, k=1, m=2, n=3)")
    call = walk(source.tree, ast.Call)[0]
    assert lines_of(source, *(drop_keyword(source, FILE, call, word) for word in "km")) == ["f(a, n=3)"]
    assert drop_keyword(source, FILE, call, "z") is None


def test_arguments_are_put_in_another_order_as_they_are_written() -> None:
    source = source_of("tf.concat( 3,  [a , b], name='c')")
    call = walk(source.tree, ast.Call)[0]
    found = reorder(source, FILE, call, ["[a, b]", "3"])
    assert found is not None
    assert lines_of(source, *found) == ["tf.concat( [a , b],  3, name='c')"]
    assert reorder(source, FILE, call, ["[a, b]", "4"]) is None
