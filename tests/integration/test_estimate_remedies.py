"""What `whydied estimate` says that a change would save, against the program with that change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytestmark = [pytest.mark.tensorflow, pytest.mark.alone, pytest.mark.variation]
MARGIN = 0.35
"""By how much of itself a saving may be off: peaks differ by a tenth from run to run, and a saving is the difference of
two of them."""
START = """
import ctypes, os, sys
import tensorflow as tf

library = ctypes.CDLL(os.path.join(os.path.dirname(tf.__file__), "libtensorflow_framework.so.2"))
library._ZN3tsl23EnableCPUAllocatorStatsEv()
import keras
import numpy as np

keras.utils.set_random_seed(0)
changed = "changed" in sys.argv
"""
END = """
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
memory = tf.config.experimental.get_memory_info("CPU:0")
print("measured", memory["peak"], int(status["VmHWM"].split()[0]) << 10)
"""
NARROWER = """
model = keras.Sequential([
    keras.Input((64, 64, 3)),
    keras.layers.Conv2D(32, 3, activation="relu"),
    keras.layers.Conv2D(64 if changed else 128, 3, activation="relu", name="wide"),
    keras.layers.MaxPooling2D(),
    keras.layers.Conv2D(32, 3, activation="relu"),
    keras.layers.GlobalAveragePooling2D(),
    keras.layers.Dense(10, activation="softmax"),
])
model.compile("adam", "sparse_categorical_crossentropy")
x, y = np.zeros((160, 64, 64, 3), "float32"), np.zeros(160, "int32")
model.fit(x, y, batch_size=32, steps_per_epoch=5, verbose=0)
"""
RECOMPUTED = """
layers = [keras.layers.Conv2D(32, 3, padding="same", activation="relu") for _ in range(9)]
last = keras.layers.Dense(10)
layers[0].build((None, 64, 64, 3))
for layer in layers[1:]:
    layer.build((None, 64, 64, 32))
last.build((None, 32))
weights = [one.value for layer in (*layers, last) for one in layer.trainable_variables]


def block(some):
    def run(x):
        for layer in some:
            x = layer(x)
        return x

    return tf.recompute_grad(run) if changed else run


blocks = [block(layers[at : at + 3]) for at in (0, 3, 6)]


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        for one in blocks:
            x = one(x)
        loss = tf.reduce_mean((last(tf.reduce_mean(x, (1, 2))) - y) ** 2)
    for one, gradient in zip(weights, tape.gradient(loss, weights)):
        one.assign_sub(0.01 * gradient)
    return loss


x, y = tf.zeros((32, 64, 64, 3)), tf.zeros((32, 10))
for _ in range(5):
    step(x, y)
"""
STREAMED = """
model = keras.Sequential([keras.Input((4096,)), keras.layers.Dense(64, activation="relu"), keras.layers.Dense(1)])
model.compile("sgd", "mse")
ROWS = 16384


class Streamed(keras.utils.PyDataset):
    def __len__(self):
        return ROWS // 64

    def __getitem__(self, number):
        return np.ones((64, 4096), "float32"), np.ones((64, 1), "float32")


if changed:
    model.fit(Streamed(), steps_per_epoch=5, verbose=0)
else:
    x, y = np.ones((ROWS, 4096), "float32"), np.ones((ROWS, 1), "float32")
    model.fit(x, y, batch_size=64, steps_per_epoch=5, verbose=0)
"""
EIGHT_BITS = """
def built():
    return keras.Sequential([keras.Input((2048,)), *[keras.layers.Dense(2048, activation="relu") for _ in range(8)]])


if "first" in sys.argv:
    # A model that is quantized in memory has had both kinds of weights: one that is loaded so has not.
    model = built()
    model.quantize("int8")
    model.save("quantized.keras")
model = keras.models.load_model("quantized.keras") if changed else built()
model.predict(np.zeros((64, 2048), "float32"), batch_size=32, verbose=0)
"""


class Peaks(NamedTuple):
    tensor_bytes: int
    process_bytes: int


def told(whydied: Callable[..., Any], tmp_path: Path, source: str, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The point of the program as it is, and the remedy of that name that saves most."""
    (tmp_path / "program.py").write_text(START + source + END)
    done = whydied("estimate", "program.py", "--json", "--limit", "8G", timeout_s=400)
    assert done.returncode == 0, done.stderr.decode()
    (call,) = json.loads(done.stdout)["calls"]
    remedies = [one for one in call["remedies"] if one["name"] == name]
    assert remedies, call["remedies"]
    return call["points"][0], max(remedies, key=lambda one: one["saves_bytes"])


def measured(tmp_path: Path, *words: str) -> Peaks:
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        [sys.executable, "program.py", *words],
        cwd=tmp_path, env={**os.environ, **quiet}, capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    _, tensors, process = done.stdout.split()[-3:]
    return Peaks(int(tensors), int(process))


def test_tensors_that_weights_of_8_bits_save(whydied: Callable[..., Any], tmp_path: Path) -> None:
    point, remedy = told(whydied, tmp_path, EIGHT_BITS, "int8_weights")
    saved = point["peak_tensor_bytes"] - remedy["peak_tensor_bytes"]
    measured(tmp_path, "first")
    before, after = measured(tmp_path), measured(tmp_path, "changed")
    assert saved == pytest.approx(before.tensor_bytes - after.tensor_bytes, rel=MARGIN)


@pytest.mark.parametrize(("source", "name"), [(NARROWER, "narrower_layer"), (RECOMPUTED, "recomputation")])
def test_tensors_that_a_change_saves(whydied: Callable[..., Any], tmp_path: Path, source: str, name: str) -> None:
    point, remedy = told(whydied, tmp_path, source, name)
    saved = point["peak_tensor_bytes"] - remedy["peak_tensor_bytes"]
    before, after = measured(tmp_path), measured(tmp_path, "changed")
    assert saved == pytest.approx(before.tensor_bytes - after.tensor_bytes, rel=MARGIN)


def test_memory_of_the_process_that_streamed_data_save(whydied: Callable[..., Any], tmp_path: Path) -> None:
    _, remedy = told(whydied, tmp_path, STREAMED, "streamed_input")
    before, after = measured(tmp_path), measured(tmp_path, "changed")
    assert remedy["saves_bytes"] == pytest.approx(before.process_bytes - after.process_bytes, rel=MARGIN)
