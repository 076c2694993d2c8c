"""Where a program cuts its data into batches, and where it writes their size for something else."""

from __future__ import annotations

import pytest

from whydied.source.edits.edit import edited
from whydied.source.edits.shapes.fixed_batches import cuts, fixed_sizes, sized_by
from whydied.source.text import Source
from whydied.source.trees import scope_at, written

FILE = "/p/train.py"


@pytest.mark.parametrize(
    ("line", "now"),
    [
        ("rows = data.batch(SIZE)", "rows = data.batch(SIZE, drop_remainder=True)"),
        (
            "rows = data.batch(batch_size=64)",
            "rows = data.batch(batch_size=64, drop_remainder=True)",
        ),
        ("steps = range(0, len(x), SIZE)", "steps = range(0, len(x) - SIZE + 1, SIZE)"),
        # Of another size, whole already, or counting something else.
        ("rows = data.batch(32)", ""),
        ("rows = data.batch(SIZE, drop_remainder=True)", ""),
        ("steps = range(0, len(x) - SIZE + 1, SIZE)", ""),
        ("steps = range(SIZE)", ""),
    ],
)
def test_batches_of_which_the_last_may_be_smaller(line: str, now: str) -> None:
    source = Source(f"SIZE = 64\n{line}\n")
    found = list(cuts({FILE: source}, 64))
    assert [edited(source, one.edits) for one in found] == ([f"SIZE = 64\n{now}\n"] if now else [])


STEP = """import numpy as np
import tensorflow as tf
SIZE = 64
class Gan:
    def __init__(self, width=64):
        self.width = width
    def step(self, real):
        noise = tf.random.normal((SIZE, 8))
        mix = np.random.rand(SIZE, 1)
        more = self.draw(self.width, tf.zeros([8, SIZE]))
        rows = data.batch(SIZE)
        dense = tf.keras.layers.Dense(64)
        print(SIZE)
"""


def test_sizes_of_a_batch_that_a_function_writes_are_taken_from_its_data() -> None:
    source = Source(STEP)
    found = fixed_sizes(source, scope_at(source.tree, 8), 64)
    # Not a later axis, the batches themselves, a number that may be any other size, or what is printed.
    assert [(one.node.lineno, written(one.node), one.library) for one in found] == [
        (8, "SIZE", "tf"),
        (9, "SIZE", "np"),
        (10, "self.width", ""),
    ]
    text = edited(source, sized_by(source, FILE, found, "real"))
    assert text is not None
    assert "tf.random.normal((tf.shape(real)[0], 8))" in text
    assert "np.random.rand(len(real), 1)" in text
    assert fixed_sizes(source, scope_at(source.tree, 8), 32) == []
