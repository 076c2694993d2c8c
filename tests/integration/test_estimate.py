"""`whydied estimate` on real programs: no step runs, and what it predicts is what the allocator then counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytestmark = [pytest.mark.tensorflow, pytest.mark.alone]
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
COUNTING = """
import ctypes, os, sys
import tensorflow as tf

library = ctypes.CDLL(os.path.join(os.path.dirname(tf.__file__), "libtensorflow_framework.so.2"))
library._ZN3tsl23EnableCPUAllocatorStatsEv()
"""
KERAS = """
import sys
import keras
import numpy as np

keras.utils.set_random_seed(0)
model = keras.Sequential([
    keras.Input((48, 48, 3)),
    keras.layers.Conv2D(32, 3, activation="relu"),  # first
    keras.layers.Conv2D(64, 3, activation="relu"),
    keras.layers.MaxPooling2D(),
    keras.layers.Flatten(),
    keras.layers.Dense(64, activation="relu"),
    keras.layers.Dense(10, activation="softmax"),
])
model.compile("adam", "sparse_categorical_crossentropy")
x, y = np.zeros((320, 48, 48, 3), "float32"), np.zeros(320, "int32")
batch = int(sys.argv[1]) if len(sys.argv) > 1 else 16
model.fit(x, y, batch_size=batch, steps_per_epoch=5, verbose=0)  # fit
print("trained")
"""
LOOP = """
import sys
import tensorflow as tf

batch = int(sys.argv[1]) if len(sys.argv) > 1 else 16
w = tf.Variable(tf.random.normal((512, 2048)))
v = tf.Variable(tf.random.normal((2048, 1)))


@tf.function
def prepared(x):
    return x / 2.0


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        hidden = tf.nn.tanh(x @ w)
        pairs = hidden[:, :, None] * hidden[:, None, :128]
        loss = tf.reduce_mean((tf.reduce_mean(pairs, 2) @ v - y) ** 2)
    for one, gradient in zip([w, v], tape.gradient(loss, [w, v])):
        one.assign_sub(0.1 * gradient)
    return loss


x, y = prepared(tf.zeros((batch, 512))), tf.zeros((batch, 1))
for _ in range(5):
    step(x, y)  # step
print("trained")
"""
TOLD = """
print("peak", tf.config.experimental.get_memory_info("CPU:0")["peak"])
"""
EAGER = """
import tensorflow as tf

w = tf.Variable(tf.ones((3, 3)))
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(w * w)
w.assign_sub(tape.gradient(loss, w))  # eager
print("trained")
"""
SESSION = """
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, (None, 512), name="x")
w = tf.get_variable("w", (512, 4096))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train, {x: np.zeros((64, 512), "float32")})  # run
    print("trained")
"""


class Answer(NamedTuple):
    status: int
    output: str
    errors: str


def asked(whydied: Callable[..., Any], *words: str) -> Answer:
    done = whydied("estimate", *words, timeout_s=300)
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


def estimated(whydied: Callable[..., Any], *words: str) -> tuple[dict[str, Any], Answer]:
    done = asked(whydied, *words, "--json")
    return json.loads(done.output or "{}"), done


def measured(tmp_path: Path, source: str, batch: int) -> int:
    """The allocator's peak after five real steps in a fresh process."""
    (tmp_path / "measured.py").write_text(COUNTING + source + TOLD)
    done = subprocess.run(
        [sys.executable, "measured.py", str(batch)],
        cwd=tmp_path, env={**os.environ, **QUIET}, capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    return int(done.stdout.split()[-1])


def line_of(source: str, mark: str) -> int:
    return next(number for number, line in enumerate(source.splitlines(), 1) if line.endswith(f"# {mark}"))


@pytest.mark.parametrize(("source", "kind", "mark"), [(KERAS, "fit", "fit"), (LOOP, "function", "step")])
def test_the_prediction_is_what_the_allocator_counts(
    whydied: Callable[..., Any], tmp_path: Path, source: str, kind: str, mark: str
) -> None:
    (tmp_path / "train.py").write_text(source)
    told, done = estimated(whydied, "train.py", "--batch-size", "16,64", "--no-run", "--limit", "4G")
    assert done.status == 0, done.errors
    assert "trained" not in done.output + done.errors
    (call,) = told["calls"]
    assert (call["kind"], call["batch_size"]) == (kind, 16)
    assert (call["location"]["line"], call["location"]["file"]) == (line_of(source, mark), str(tmp_path / "train.py"))
    assert call["largest_batch"]["limit_bytes"] == 4 << 30
    for point in call["points"]:
        assert point["peak_tensor_bytes"] == pytest.approx(measured(tmp_path, source, point["batch_size"]), rel=0.15)


def test_a_calibrated_estimate_names_layers_and_lines(whydied: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(KERAS)
    done = asked(whydied, "train.py")
    assert done.status == 0, done.errors
    assert f"fit at train.py:{line_of(KERAS, 'fit')}: traced, not run" in done.output
    assert "conv2d (Conv2D)" in done.output
    assert f"train.py:{line_of(KERAS, 'first')}" in done.output
    assert "the largest batch that fits is" in " ".join(done.output.split())
    assert "trained" not in done.output


@pytest.mark.variation
def test_a_step_that_takes_only_its_own_batch_is_told_as_such(whydied: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(LOOP.replace("hidden = ", "x = tf.ensure_shape(x, (16, 512)); hidden = "))
    told, done = estimated(whydied, "train.py", "--no-run")
    assert done.status == 0, done.errors
    (call,) = told["calls"]
    assert any("own batch" in note and "EnsureShape" in note for note in call["notes"]), call["notes"]
    assert call["estimate_s"] > call["trace_s"] > 0


@pytest.mark.variation
def test_a_step_that_cannot_be_traced_fails_as_the_program_does(whydied: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(KERAS.replace("np.zeros(320,", "np.zeros((320, 7),"))
    done = asked(whydied, "train.py", "--no-run")
    assert done.status == 1
    assert "Traceback" in done.errors
    assert "the step could not be traced" in done.errors
    assert "trained" not in done.output


@pytest.mark.variation
def test_an_eager_loop_is_told_as_such(whydied: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(EAGER)
    told, done = estimated(whydied, "train.py")
    assert done.status == 3
    assert told["calls"] == []
    assert "eagerly" in told["reason"]
    assert "trained" not in done.errors


@pytest.mark.variation
def test_a_session_of_tensorflow_1(whydied: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SESSION)
    told, done = estimated(whydied, "train.py", "--batch-size", "64,256")
    assert done.status == 0, done.errors
    (call,) = told["calls"]
    assert (call["kind"], call["batch_size"], call["location"]["line"]) == ("session_run", 64, line_of(SESSION, "run"))
    small, large = (point["peak_tensor_bytes"] for point in call["points"])
    # The product of 4096 floats a row and its gradient, and 8 MB of weights with their gradient.
    assert 16e6 < small < large < 64e6
