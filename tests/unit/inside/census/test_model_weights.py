"""What models weigh, with real Keras models in a process of their own (TensorFlow stays out of this one)."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("tensorflow")

PROGRAM = """
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import tensorflow as tf
from whydied.inside.census import census

def build():
    model = keras.Sequential([keras.Input((100,)), keras.layers.Dense(200), keras.layers.Dense(10)])
    model.compile("adam", "mse")
    model.optimizer.build(model.trainable_variables)
    return model

class Store(tf.Module):
    def __init__(self):
        self.cells = []
        self.named = {}

results = [build() for _ in range(3)]
alias = results[0]
store = Store()
for n in range(5):
    store.cells.append(tf.Variable(tf.ones((1000, 300 + n))))
    store.named[f"c{n}"] = tf.ones((700, 500 + n))
taken = census.take("peek")
models = [group for group in taken.groups if group.kind == "model"]
print(sum(group.count for group in models if group.size_bytes), sum(group.size_bytes for group in models))
held = {(group.shape[0], holder.path) for group in taken.groups if group.shape for holder in group.holders}
print(sorted(held))
"""


def test_models_weigh_their_variables_and_slots_and_wrapped_containers_are_entered() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120)
    count, size = done.stdout.splitlines()[0].split() if done.returncode == 0 else ("0", done.stderr)
    parameters = 100 * 200 + 200 + 200 * 10 + 10
    assert int(count) == 3
    assert int(size) == pytest.approx(3 * 3 * 4 * parameters, rel=0.01)
    assert "(1000, 'store.cells')" in done.stdout
    assert "(700, \"store.named['c0']\")" in done.stdout
