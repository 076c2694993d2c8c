"""Data that never end, by the source."""

from __future__ import annotations

import pytest

from tests.unit.source.at import at
from whydied.source.training.endless_sources import endless_argument

LOOP = "def rows():\n    while True:\n        yield x\n"


@pytest.mark.parametrize(
    ("program", "line"),
    [
        (LOOP + "net.fit(rows())\n", 2),
        (LOOP + "data = rows()\nnet.fit(data)\n", 2),
        (LOOP + "data = tf.data.Dataset.from_generator(rows, output_signature=spec).batch(8)\nnet.fit(data)\n", 2),
        (
            "def read():\n    files = glob()\n    return open(files).repeat().batch(8)\ndata = read()\nnet.fit(data)\n",
            3,
        ),
        ("def rows():\n    for x in itertools.cycle(a):\n        yield x\nnet.fit(x=rows())\n", 2),
    ],
)
def test_what_has_no_end(program: str, line: int) -> None:
    sources, place = at(program, len(program.splitlines()))
    found = endless_argument(sources, place, "fit")
    assert found is not None
    assert found.line == line


@pytest.mark.parametrize(
    "program",
    [
        "def rows():\n    while True:\n        yield x\n        if done:\n            break\nnet.fit(rows())\n",
        "def rows():\n    while True:\n        if not more():\n            return\n        yield x\nnet.fit(rows())\n",
        "def rows():\n    for x in data:\n        yield x\nnet.fit(rows())\n",
        "data = read().repeat(3).batch(8)\nnet.fit(data)\n",
        "data = read().repeat().take(100)\nnet.fit(data)\n",
        LOOP + "net.fit(x)\n",
    ],
)
def test_what_ends(program: str) -> None:
    sources, place = at(program, len(program.splitlines()))
    assert endless_argument(sources, place, "fit") is None


def test_an_inner_loop_that_is_left_is_not_the_outer_one() -> None:
    program = (
        "def rows():\n    while True:\n        for x in data:\n            if bad(x):\n                break\n"
        "            yield x\nnet.fit(rows())\n"
    )
    sources, place = at(program, 7)
    found = endless_argument(sources, place, "fit")
    assert found is not None
    assert found.line == 2
