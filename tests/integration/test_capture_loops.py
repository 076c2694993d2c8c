"""Training loops of the program's own within functions: what is captured, and from when it is."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy
import pytest
from tests import child
from tests.layers import varied

from whydied.inside.numerics import step_file
from whydied.records import InternalError, StepCaptured

pytestmark = pytest.mark.tensorflow
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}

LOOPS = {
    "manual": """
        w = tf.Variable(tf.random.normal([4, 1]))
        @tf.function
        def step(a, b):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.math.log(b) * (a @ w))
            w.assign_sub(0.01 * tape.gradient(loss, w))
            return loss
        for start in range(0, 160, 16):
            step(tf.constant(x[start : start + 16]), tf.constant(y[start : start + 16]))
    """,
    "data set in the function": """
        w = tf.Variable(tf.random.normal([4, 1]))
        @tf.function
        def train(batches):
            for a, b in batches:
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.math.log(b) * (a @ w))
                w.assign_sub(0.01 * tape.gradient(loss, w))
        train(tf.data.Dataset.from_tensor_slices((x, y)).shuffle(160, seed=1).batch(16))
    """,
    "iterator": """
        w = tf.Variable(tf.random.normal([4, 1]))
        it = iter(tf.data.Dataset.from_tensor_slices((x, y)).batch(16))
        @tf.function
        def step(it):
            a, b = next(it)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.math.log(b) * (a @ w))
            w.assign(w - 0.01 * tape.gradient(loss, w))
        for _ in range(10):
            step(it)
    """,
}


@pytest.mark.parametrize("style", varied(LOOPS, "iterator"))
def test_loops_of_the_programs_own(style: str, tmp_path: Path) -> None:
    head = """
        import numpy as np
        import tensorflow as tf
        tf.random.set_seed(0)
        x = np.random.RandomState(0).rand(160, 4).astype("float32")
        y = np.random.RandomState(1).rand(160, 1).astype("float32")
        y[99] = 0.0
    """
    path = child.write(tmp_path, textwrap.dedent(head) + textwrap.dedent(LOOPS[style]))
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=QUIET)
    assert recorded.ended.status == 0, recorded.ended.stderr
    assert recorded.all(InternalError) == []
    record = recorded.one(StepCaptured)
    capture, directory = recorded.capture(record)
    assert any(99 in value.rows and value.data_set == "y" for value in capture.fed)
    # A loss that nobody asks for is not computed, and not for us either.
    assert record.suspects[0].role == {"manual": "loss", "iterator": "weight"}.get(style, "update")
    weight = next(value for value in capture.state if value.name == "w")
    assert (weight.role, weight.moment) == ("weight", "start")
    assert numpy.isfinite(step_file.load(str(directory), weight.file or "", "float32")).all()


TWO_UPDATES = """
import numpy as np
import tensorflow as tf
d, g = tf.Variable(tf.ones([3, 1])), tf.Variable(tf.ones([3, 1]))

@tf.function
def step(a):
    with tf.GradientTape() as tape:
        first = tf.reduce_mean((a @ d) ** 2)
    d.assign_sub(0.1 * tape.gradient(first, d))
    with tf.GradientTape() as tape:
        second = tf.reduce_mean(tf.math.log(a @ (d * g)))
    g.assign_sub(0.1 * tape.gradient(second, g))
    return first, second

step(tf.ones([4, 3]))
step(tf.zeros([4, 3]))
"""


def test_an_update_after_an_update(tmp_path: Path) -> None:
    """The second loss depends on weights that the same step has written: they are kept from before."""
    path = child.write(tmp_path, TWO_UPDATES)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=QUIET)
    assert recorded.all(InternalError) == []
    record = recorded.one(StepCaptured)
    capture, _ = recorded.capture(record)
    assert record.step == 1
    assert {value.name: value.moment for value in capture.state} == {"d": "start", "g": "start"}
