"""Real TensorFlow programs leave the graphs of their steps, and the graphs tell what the allocator measured."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from whydied import wire
from whydied.graph.expansion import Bindings
from whydied.graph.op_table import Table, decode
from whydied.graph.step_memory import StepMemory, analyse
from whydied.records import GraphRecorded, InternalError, Record

# What a step really takes differs with the machine and its load, so this is not for the first layer.
pytestmark = [pytest.mark.tensorflow, pytest.mark.alone, pytest.mark.variation]

MEASURE = """
import ctypes, gc, os, statistics
import tensorflow as tf

library = ctypes.CDLL(os.path.join(os.path.dirname(tf.__file__), "libtensorflow_framework.so.2"))
library._ZN3tsl23EnableCPUAllocatorStatsEv()

def measured(step):
    # Which ops run side by side differs from step to step, and with them the peak: by a fifth up or down.
    peaks = []
    for _ in range(26):
        gc.collect()
        tf.config.experimental.reset_memory_stats("CPU:0")
        before = tf.config.experimental.get_memory_info("CPU:0")["current"]
        step()
        peaks.append(tf.config.experimental.get_memory_info("CPU:0")["peak"] - before)
    return int(statistics.median(peaks[1:]))
"""

KERAS = """
import keras
import numpy as np
from measure import measured, tf

L = keras.layers


class Wide(L.Layer):
    def __init__(self, units):
        super().__init__()
        self.inner = L.Dense(units)  # inner

    def call(self, x):
        doubled = tf.concat([x, x], axis=-1)  # doubled
        return self.inner(tf.nn.relu(doubled))


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.image = keras.Sequential(
            [
                L.Conv2D(32, 3, activation="relu"),  # first
                L.Conv2D(64, 3, activation="relu"),  # second
                L.MaxPooling2D(),
                L.Flatten(),
            ]
        )
        self.wide = Wide(64)  # wide
        self.last = L.Dense(10, activation="softmax")

    def call(self, x):
        return self.last(self.wide(self.image(x)))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x, y, self(x, training=True))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


net = Net()
net.compile("adam", "sparse_categorical_crossentropy")
x, y = np.zeros((300, 28, 28, 1), "float32"), np.zeros(300)
net.fit(x, y, batch_size=128, verbose=0)
batch = tf.zeros((256, 28, 28, 1)), tf.zeros(256)
step = tf.function(net.train_step)
print("measured", measured(lambda: step(batch)))
"""

LOOP = """
from measure import measured, tf

w = tf.Variable(tf.random.normal((256, 1024)))
v = tf.Variable(tf.random.normal((1024, 1)))


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        hidden = tf.nn.tanh(x @ w)
        pairs = hidden[:, :, None] * hidden[:, None, :]  # pairs
        loss = tf.reduce_mean((tf.reduce_mean(pairs, 2) @ v - y) ** 2)
    first, second = tape.gradient(loss, [w, v])
    w.assign_sub(0.1 * first)
    v.assign_sub(0.1 * second)
    return loss


x, y = tf.zeros((16, 256)), tf.zeros((16, 1))
print("measured", measured(lambda: step(x, y)))


@tf.function
def growing(x):
    return tf.reduce_sum(x @ w)


for rows in range(2, 12):
    growing(tf.zeros((rows, 256)))
"""

SESSION = """
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, 784])
image = tf.reshape(x, [-1, 28, 28, 1])
kernel = tf.Variable(tf.truncated_normal([5, 5, 1, 32]))
hidden = tf.nn.relu(tf.nn.conv2d(image, kernel, strides=[1, 1, 1, 1], padding="SAME"))  # hidden
loss = tf.reduce_mean(hidden)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(train, {x: np.zeros((50, 784))})
    session.run(loss, {x: np.zeros((1000, 784))})
"""


class Recorded:
    """What a program left."""

    def __init__(self, source: str, script: Path, run: Path, output: str) -> None:
        self.source = source
        self.script = script
        self.records: list[Record] = [
            entry.record
            for file in sorted(run.glob("streams/process*"))
            for entry in wire.read_segment(file.read_bytes()).entries
        ]
        self.tables: list[Table] = [decode(file.read_bytes()) for file in sorted(run.glob("graphs/*.bin"))]
        found = re.search(r"measured (\d+)", output)
        self.measured_bytes = int(found[1]) if found else 0
        assert [record for record in self.records if isinstance(record, InternalError)] == []

    def line(self, comment: str) -> int:
        """The line with a comment."""
        return next(n for n, text in enumerate(self.source.splitlines(), 1) if text.endswith(f"# {comment}"))

    def table(self, name: str) -> Table:
        return next(table for table in self.tables if name in table.name)


@pytest.fixture
def recorded(whydied: Callable[..., Any], runs: Path, tmp_path: Path) -> Callable[[str], Recorded]:
    def run(source: str) -> Recorded:
        (tmp_path / "measure.py").write_text(MEASURE)
        script = tmp_path / "program.py"
        script.write_text(source)
        done = whydied("run", script)
        assert done.returncode == 0, done.stderr.decode()
        (directory,) = runs.iterdir()
        return Recorded(source, script, directory, done.stdout.decode())

    return run


def close(memory: StepMemory, measured_bytes: int) -> bool:
    return abs(memory.peak_bytes - measured_bytes) <= 0.15 * measured_bytes


def test_keras_fit_and_a_step_of_its_own(recorded: Callable[[str], Recorded]) -> None:
    found = recorded(KERAS)
    fit = analyse(found.table("multi_step_on_iterator"), Bindings(128))
    own = analyse(found.table("train_step"))
    assert (fit.batch, own.batch) == (128, 256)
    assert close(own, found.measured_bytes), (own.peak_bytes, found.measured_bytes)
    for memory in (fit, own):
        made = {tensor.layer.path or tensor.layer.name: tensor for tensor in memory.alive if tensor.layer is not None}
        layers = {layer.name: layer for tensor in memory.alive if (layer := tensor.layer) is not None}
        first, second = layers["conv2d"], layers["conv2d_1"]
        assert (first.file, first.line) == (str(found.script.resolve()), found.line("first"))
        assert second.line == found.line("second")
        assert first.statement == second.statement == found.line("first") - 2
        assert any(tensor.phase == "backward" for tensor in made.values())
    assert fit.weights_bytes > 1 << 20
    assert abs(fit.slots_bytes - 2 * fit.weights_bytes) < 4096


def test_lines_inside_a_layer_and_of_what_it_made(recorded: Callable[[str], Recorded]) -> None:
    found = recorded(KERAS.replace("print(", "pass  # ("))
    table = found.table("multi_step_on_iterator")
    outer = next(layer for layer in table.layers if layer.type == "Wide")
    inner = next(layer for layer in table.layers if layer.type == "Dense" and layer.line == found.line("inner"))
    assert outer.line == found.line("wide")
    assert inner.path.endswith(f"{outer.name}/{inner.name}")
    ops = [op for function in table.functions for op in function.ops if op.type == "ConcatV2"]
    assert {table.lines[op.line].line for op in ops if "gradient" not in op.name} == {found.line("doubled")}
    assert all(table.lines[op.line].direct for op in ops if "gradient" not in op.name)


def test_a_loop_of_the_users_own(recorded: Callable[[str], Recorded]) -> None:
    found = recorded(LOOP)
    memory = analyse(found.table("step"))
    assert close(memory, found.measured_bytes), (memory.peak_bytes, found.measured_bytes)
    assert memory.alive[0].line is not None
    assert memory.alive[0].line.line == found.line("pairs")
    assert memory.batch_scaled_bytes > 0.9 * memory.tensor_bytes
    again = [record for record in found.records if isinstance(record, GraphRecorded) and record.function == "growing"]
    assert len(again) > len({record.file for record in again}) == 4


def test_a_session(recorded: Callable[[str], Recorded]) -> None:
    found = recorded(SESSION)
    train, loss = found.table("GradientDescent"), found.table("Mean")
    assert (analyse(train).batch, analyse(loss).batch) == (50, 1000)
    largest = analyse(loss).alive[0]
    assert (largest.shape, largest.phase) == ((1000, 28, 28, 32), "forward")
    assert largest.line is not None
    assert largest.line.line == found.line("hidden")
    assert len([record for record in found.records if isinstance(record, GraphRecorded)]) == 3
