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
from tests.layers import varied

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
EAGER_LOOP = """
import sys
import numpy as np
import tensorflow as tf

batch = int(sys.argv[1]) if len(sys.argv) > 1 else 16
w = tf.Variable(tf.random.normal((512, 4096), stddev=0.01))
v = tf.Variable(tf.random.normal((4096, 1), stddev=0.01))
data = np.zeros((400, 512), "float32")
for number in range(5):
    x = tf.constant(data[number * batch : (number + 1) * batch])
    with tf.GradientTape() as tape:  # tape
        hidden = tf.nn.tanh(x @ w)
        pairs = hidden[:, :, None] * hidden[:, None, :64]
        loss = tf.reduce_mean(tf.reduce_mean(pairs, 2) @ v)
    gradients = tape.gradient(loss, [w, v])
    w.assign_sub(0.1 * gradients[0])
    v.assign_sub(0.1 * gradients[1])
    print("trained", float(loss))
"""
NOT_TRACEABLE = EAGER_LOOP.replace("    gradients =", "    if float(loss) > 1e9:\n        break\n    gradients =")
RUN_EAGERLY = KERAS.replace('crossentropy")', 'crossentropy", run_eagerly=True)')
LOOP_INSIDE = """
import tensorflow as tf

w = tf.Variable(tf.random.normal((64, 65536)))
data = tf.data.Dataset.from_tensor_slices(tf.zeros((96, 64))).batch(16)


@tf.function
def train(batches):
    total = 0.0
    for x in batches:
        with tf.GradientTape() as tape:  # inside
            loss = tf.reduce_mean(tf.nn.tanh(x @ w) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        total += loss
    return total


print("trained", train(data))
"""
ONLY_CALLED = """
import keras
import numpy as np

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(4)])
print(model(np.zeros((2, 8), "float32")).shape)
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


@pytest.mark.parametrize(
    ("source", "kind", "mark"), varied([(KERAS, "fit", "fit"), (LOOP, "function", "step")], (KERAS, "fit", "fit"))
)
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


def test_what_the_program_prints_stays_out_of_the_json(whydied: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print('loading')\n")
    told, done = estimated(whydied, "train.py")
    assert (done.status, told["calls"]) == (3, [])
    assert "loading" in done.errors


@pytest.mark.variation
def test_a_calibrated_estimate_names_layers_and_lines(whydied: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(KERAS)
    done = asked(whydied, "train.py")
    assert done.status == 0, done.errors
    assert f"fit at train.py:{line_of(KERAS, 'fit')}: traced, not run" in done.output
    assert "What would help" in done.output
    assert "conv2d (Conv2D)" in done.output
    assert f"train.py:{line_of(KERAS, 'first')}" in done.output
    assert "the largest batch that fits is" in " ".join(done.output.split())
    assert "trained" not in done.output


def test_the_step_of_an_eager_loop_is_found_and_traced(whydied: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(EAGER_LOOP)
    told, done = estimated(whydied, "train.py", "--batch-size", "16,64", "--no-run", "--limit", "4G")
    assert done.status == 0, done.errors
    assert "trained" not in done.output + done.errors
    (call,) = told["calls"]
    assert (call["kind"], call["batch_size"], call["eager"], call["without"]) == ("eager", 16, True, None)
    assert call["location"]["line"] == line_of(EAGER_LOOP, "tape")
    for point in call["points"]:
        real = measured(tmp_path, EAGER_LOOP, point["batch_size"])
        assert point["peak_tensor_bytes"] == pytest.approx(real, rel=0.25)


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
def test_an_eager_step_that_cannot_be_traced_is_measured(whydied: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(NOT_TRACEABLE)
    told, done = estimated(whydied, "train.py", "--batch-size", "16,64")
    assert done.status == 0, done.errors
    (call,) = told["calls"]
    assert call["untraced"]
    assert call["layers"] == []
    real = measured(tmp_path, NOT_TRACEABLE, 64)
    assert call["points"][1]["peak_tensor_bytes"] == pytest.approx(real, rel=0.25)
    told, done = estimated(whydied, "train.py", "--no-run")
    assert done.status == 3
    assert "without --no-run" in told["reason"]


@pytest.mark.variation
@pytest.mark.parametrize(
    ("source", "kind", "mark", "eager"), [(RUN_EAGERLY, "fit", "fit", True), (LOOP_INSIDE, "function", "inside", False)]
)
def test_steps_inside_of_other_calls(
    whydied: Callable[..., Any], tmp_path: Path, source: str, kind: str, mark: str, eager: bool
) -> None:
    (tmp_path / "train.py").write_text(source)
    told, done = estimated(whydied, "train.py", "--batch-size", "16,64")
    assert done.status == 0, done.errors
    assert "trained" not in done.errors
    (call,) = told["calls"]
    assert (call["kind"], call["batch_size"], call["eager"]) == (kind, 16, eager)
    assert call["location"]["line"] == line_of(source, mark)
    small, large = (point["peak_tensor_bytes"] for point in call["points"])
    assert small < large


@pytest.mark.variation
@pytest.mark.parametrize("kind", ["evaluate", "predict"])
def test_inference(whydied: Callable[..., Any], tmp_path: Path, kind: str) -> None:
    given = "x, y" if kind == "evaluate" else "x"
    source = KERAS.replace(
        "model.fit(x, y, batch_size=batch, steps_per_epoch=5, verbose=0)",
        f"model.{kind}({given}, batch_size=batch, verbose=0)",
    )
    (tmp_path / "train.py").write_text(source)
    told, done = estimated(whydied, "train.py", "--batch-size", "16,64", "--no-run")
    assert done.status == 0, done.errors
    (call,) = told["calls"]
    assert (call["kind"], call["location"]["line"]) == (kind, line_of(source, "fit"))
    assert {"int8_weights", "recomputation"}.intersection(one["name"] for one in call["remedies"]) == {"int8_weights"}
    assert call["points"][1]["peak_tensor_bytes"] == pytest.approx(measured(tmp_path, source, 64), rel=0.2)


@pytest.mark.variation
def test_a_model_that_is_only_called_is_not_a_step(whydied: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(ONLY_CALLED)
    told, done = estimated(whydied, "train.py")
    assert done.status == 3
    assert "a model that is only called" in told["reason"]


@pytest.mark.variation
@pytest.mark.cgroup
@pytest.mark.parametrize("source", [KERAS.replace("(320,", "(2000,").replace("(320", "(2000"), EAGER_LOOP, SESSION])
def test_a_verified_batch_ran_and_the_next_did_not(whydied: Callable[..., Any], tmp_path: Path, source: str) -> None:
    (tmp_path / "train.py").write_text(source)
    told, done = estimated(whydied, "train.py", "--limit", "700M", "--verify")
    assert done.status == 0, done.errors
    largest = told["calls"][0]["largest_batch"]
    assert largest["verified"], done.errors
    tried = [line for line in done.errors.splitlines() if line.startswith("whydied: a batch of")]
    assert any(f" {largest['batch_size']:,} ran" in line for line in tried)
    assert any("did not run" in line for line in tried)


@pytest.mark.variation
def test_an_eager_loop_without_data_is_told_as_such(whydied: Callable[..., Any], tmp_path: Path) -> None:
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
