"""What the source tells of a call and of the batch that was chosen."""

from __future__ import annotations

import ast

import pytest

from whydied.source.calls import argument
from whydied.source.location import Location
from whydied.source.numbers import constants, evaluate
from whydied.source.text import Source
from whydied.source.training.batch_sizes import batch_size_place

FILE = "/home/ann/train.py"


def _sources(text: str) -> dict[str, Source]:
    return {FILE: Source(text)}


def _line(number: int) -> Location:
    return Location(file=FILE, line=number, end_line=number)


@pytest.mark.parametrize(
    ("source", "line", "rows", "wanted"),
    [
        ("net.fit(x, batch_size=n)\n", 1, 64, (1, "batch_size")),
        ("net.fit(x, y, 64)\n", 1, 64, (1, "batch_size")),
        ("d = rows.batch(64)\nnet.fit(d)\n", 2, 64, (1, "batch")),
        ("B = 4 * 16\nd = rows.padded_batch(B)\nnet.fit(d)\n", 3, 64, (2, "B")),
        ("def f(size):\n    return rows.batch(size)\nfor x in f(64):\n    step(x)\n", 4, 64, (2, "size")),
        ("def f(size=64):\n    return rows.batch(size)\nfor x in f():\n    step(x)\n", 4, 64, (2, "size")),
        ("d = images('dir', batch_size=64)\nnet.fit(d)\n", 2, 64, (1, "batch_size")),
        ("d = rows.batch(32)\nnet.fit(d)\n", 2, 64, None),
        ("net.fit(d)\n", 1, None, None),
    ],
)
def test_where_a_batch_was_chosen(source: str, line: int, rows: int | None, wanted: tuple[int, str] | None) -> None:
    found = batch_size_place(_sources(source), _line(line), rows, "fit")
    assert (None if found is None else (found.location.line, found.name)) == wanted


@pytest.mark.parametrize(
    ("source", "callee", "word", "wanted"),
    [
        ("loss = step(batch, labels)\n", "step", "1", "labels"),
        ("print(float(net(x_test)))\n", "net_1", "0", "x_test"),
        ("p = self.model(self.rows[a:b])\n", "m", "0", "self.rows[a:b]"),
        ("p = net.predict(x=rows)\n", "predict", "x", "rows"),
        ("x = tf.ones(3)\n", "net", "0", None),
    ],
)
def test_what_a_call_was_given(source: str, callee: str, word: str, wanted: str | None) -> None:
    assert argument(_sources(source), _line(1), callee, word) == wanted


def test_names_that_change_are_not_followed() -> None:
    known = constants(ast.parse("a = 3\nb = a * 2\nc = 1\nc = 2\nd = f()\nfor e in g:\n    pass\nh, i = 1, 2\n"))
    assert known == {"a": 3, "b": 6, "h": 1, "i": 2}


@pytest.mark.parametrize(
    "text",
    [
        "9**99999999",
        "1 << 10**9",
        "1.5 << 2",
        "1 // 0",
        "'a' * 3",
        "x",
        "(-8) ** 0.5",
        "1e400",
        "1e308 * 10",
        "int(1e400)",
        "1e300 ** 2",
        "2j",
        "-" * 50 + "1",
    ],
)
def test_expressions_that_are_no_number(text: str) -> None:
    assert evaluate(ast.parse(text, mode="eval").body, {}) is None
