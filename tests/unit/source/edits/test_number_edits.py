"""Numbers and shapes: changed where they are said, and not where several calls say them."""

from __future__ import annotations

import ast

import pytest

from tests.unit.source.edits.written import FILE, whole
from whydied.source.edits.call_edits import calls_at
from whydied.source.edits.shapes.whole_numbers import number_edit, one_more, sizes_edits, written_shapes
from whydied.source.text import Source
from whydied.source.trees import nodes_on


def _given(source: Source) -> ast.expr:
    """The first argument of the only call of `f`."""
    calls = [call for line in range(1, len(source.lines) + 1) for call in calls_at(source, line, "f")]
    return calls[0].args[0]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("f(3)", "f(5)"),
        ("n = 3\nf(n)", "n = 5\nf(n)"),
        ("n = 3\nf(n)\nprint(n)", "n = 3\nf(5)\nprint(n)"),
        ("n = 4\nf(n)\nprint(n)", "n = 4\nf(n + 1)\nprint(n)"),
        ("def g(n):\n    f(n)\ng(3)", "def g(n):\n    f(n)\ng(5)"),
        (
            "class A:\n  def __init__(self, n):\n    f(n)\nA(n=3)",
            "class A:\n  def __init__(self, n):\n    f(n)\nA(n=5)",
        ),
        ("def g():\n    n = 2 * 8\n    f(n)\n    print(n)", "def g():\n    n = 5\n    f(n)\n    print(n)"),
        ("def g():\n    n = len(words)\n    f(n)", None),
        ("f(len(words))", None),
        ("c = {'n': 3}\nf(c['n'])", "c = {'n': 5}\nf(c['n'])"),
        ("c = {'n': 3}\nf(c['n'])\nprint(c['n'])", None),
        ("f(self.n)", None),
        ("def g(n):\n    f(n)\ng(3)\ng(4)", None),
        ("def g(n=3):\n    f(n)\ng()", None),
    ],
)
def test_a_number_is_changed_where_it_is_said(text: str, wanted: str | None) -> None:
    source = Source(text)
    edit = number_edit(source, FILE, _given(source), 5)
    assert whole(source, [edit] if edit is not None else None) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("f(4)", "f(5)"),
        ("f(len(words))", "f(len(words) + 1)"),
        ("f(self.n)", "f(self.n + 1)"),
        ("def g(n):\n    f(n)\ng(len(words))", "def g(n):\n    f(n)\ng(len(words) + 1)"),
        ("def g(n):\n    f(n)\ng(len(words))\ng(4)", None),
        ("def g(n):\n    f(n)\n    g(n)", None),
    ],
)
def test_one_more_than_the_source_tells(text: str, wanted: str | None) -> None:
    source = Source(text)
    edit = one_more(source, FILE, _given(source), 5)
    assert whole(source, [edit] if edit is not None else None) == wanted


@pytest.mark.parametrize(
    ("text", "was", "sizes", "wanted"),
    [
        ("f((8,))", [8], [9], "f((9,))"),
        ("f([8])", [8], [9], "f([9])"),
        ("f(8)", [8], [9], "f(9)"),
        ("f((h, w, 3))", [4, 6, 3], [4, 6, 1], "f((h, w, 1))"),
        ("f((n, 28, w))", [600, 28, 28], [28, 28], "f((28, w))"),
        ("f((28, w))", [28, 28], [28, 28, 1], "f((28, w, 1))"),
        ("f((steps, 50))", [9, 50], [9], "f((steps,))"),
        ("f((channels, h, w))", [1, 4, 6], [4, 6, 1], "f((h, w, channels))"),
        ("f((64, 6))", [64, 6], [None, 6], "f((None, 6))"),
        ("shape = (8,)\nf(shape)", [8], [9], "shape = (9,)\nf(shape)"),
        ("f(x.shape)", [8], [9], "f((9,))"),
        ("f((h, w))", [4, 6], [5, 6], None),
        ("f((8, 8))", [8], [9], None),
    ],
)
def test_a_shape_keeps_the_words_of_the_sizes_that_stay(
    text: str, was: list[int | None], sizes: list[int | None], wanted: str | None
) -> None:
    source = Source(text)
    assert whole(source, sizes_edits(source, FILE, _given(source), was, sizes)) == wanted


def test_shapes_that_are_written_out_are_found_by_their_sizes() -> None:
    source = Source("n = 16\nw = tf.zeros([n, 4]) + tf.ones((4, 16)) + tf.ones([a, b])")
    assert [ast.unparse(one) for one in written_shapes(source, nodes_on(source, 2), [16, 4])] == ["[n, 4]"]
