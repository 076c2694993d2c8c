from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.lint.linted import findings, fixed, in_files, lines

CODE = "LNT001"
LOOP = """
import collections
import numpy as np
import tensorflow as tf
loss_fn = tf.keras.losses.MeanSquaredError()
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam()
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(32)
{before}
for epoch in range(10):
    {epoch}
    for inputs, targets in dataset:
        with tf.GradientTape() as tape:
            loss = loss_fn(targets, model(inputs))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        {step}
    {after}
"""


def loop(step: str, before: str = "losses = []", epoch: str = "pass", after: str = "pass") -> str:
    return LOOP.format(before=before, epoch=epoch, step=step, after=after)


def test_a_loss_of_every_step() -> None:
    found = findings(CODE, loop("losses.append(loss)"))
    assert [(one.message, one.advice) for one in found] == [
        (
            "`losses` keeps the loss of every step, and memory grows with each",
            "Keep a number: `losses.append(float(loss))`.",
        )
    ]
    assert (found[0].location.line, found[0].location.column, found[0].location.cell) == (16, 9, None)


def test_the_fix_keeps_a_number() -> None:
    assert "losses.append(float(loss))" in (fixed(CODE, loop("losses.append(loss)")) or "")


def test_a_tensor_that_is_not_a_number_is_left_to_the_user() -> None:
    assert fixed(CODE, loop("losses.append(model(inputs))")) is None
    assert lines(CODE, loop("losses.append(model(inputs))")) == ["losses.append(model(inputs))"]


@pytest.mark.parametrize(
    "text",
    [
        loop("losses.append(float(loss))"),
        loop("losses.append(loss.numpy())"),
        loop("losses.append(loss)", before="", epoch="losses = []"),
        loop("losses.append(loss)", before="losses = collections.deque(maxlen=10)"),
        loop("losses.append(loss)", after="losses.clear()"),
        loop("losses.append(loss)", after="print(tf.stack(losses))"),
        loop("pass", after="losses.append(loss)"),
        loop("losses.append(unknown(loss))"),
    ],
    ids=["float", "numpy", "each epoch", "bounded", "cleared", "stacked", "of an epoch", "unknown"],
)
def test_near_misses(text: str) -> None:
    assert lines(CODE, text) == []


def test_a_function_that_a_loop_calls() -> None:
    text = """
    import tensorflow as tf
    history = []
    def train_step(batch):
        hidden = tf.nn.relu(batch)
        history.append(hidden)
        return tf.reduce_mean(hidden)
    while True:
        train_step(tf.random.normal([2048, 512]))
    """
    assert lines(CODE, text) == ["history.append(hidden)"]
    assert lines(CODE, text.replace("def train_step", "@tf.function\n    def train_step")) == []
    assert lines(CODE, text.replace("while True", "for _ in range(20)")) == []


def test_a_layer_that_keeps_what_it_computes() -> None:
    text = """
    import keras
    import tensorflow as tf
    class Noisy(keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.debug = []
        def call(self, inputs):
            outputs = inputs + tf.random.normal(tf.shape(inputs))
            self.debug.append(outputs)
            return outputs
    """
    assert lines(CODE, text) == ["self.debug.append(outputs)"]
    assert lines(CODE, text.replace("outputs = inputs", "self.debug = []\n            outputs = inputs")) == []


def test_a_callback_that_keeps_a_tensor_of_each_batch() -> None:
    text = """
    import keras
    class Watch(keras.callbacks.Callback):
        def __init__(self, images):
            super().__init__()
            self.images, self.seen = images, []
        def on_train_batch_end(self, batch, logs=None):
            self.seen.append(self.model(self.images))
    """
    assert lines(CODE, text) == ["self.seen.append(self.model(self.images))"]
    assert lines(CODE, text.replace("on_train_batch_end", "on_train_end")) == []
    assert lines(CODE, text.replace("append(self", "append(logs")) == []


def test_a_graph_is_built_from_lists_of_tensors() -> None:
    text = """
    import tensorflow as tf
    outputs = []
    for _ in range(2000):
        outputs.append(tf.random.normal([10]))
    """
    assert lines(CODE, text) == ["outputs.append(tf.random.normal([10]))"]
    assert lines(CODE, f"{text}    session = tf.compat.v1.Session()\n") == []


def test_a_loss_of_another_file(tmp_path: Path) -> None:
    text = """
    import tensorflow as tf
    from steps import train_step
    losses = []
    for batch in tf.data.Dataset.range(10):
        losses.append(train_step(batch))
    """
    tensor = """
    import tensorflow as tf
    def train_step(batch):
        optimizer.apply_gradients([])
        return tf.reduce_mean(batch)
    """
    assert in_files(CODE, tmp_path, main=text, steps=tensor) == ["losses.append(train_step(batch))"]
    assert in_files(CODE, tmp_path, main=text, steps=tensor.replace("tf.reduce_mean(batch)", "1.0")) == []
