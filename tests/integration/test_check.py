"""`whydied check` on real programs: what is wrong is said before anything is trained."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

TRAINING = """
import keras
import numpy as np

rng = np.random.default_rng(0)
x = rng.random((64, 8)).astype("float32")
y = rng.integers(0, 5, 64)
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(3, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
history = []
for step in range(3):
    model.fit(x, y, verbose=0)
print("trained")
"""
BROKEN = """
settings = {"epochs": 3}
print(settings["epoch"])
"""
KEEPS = """
raise SystemExit(3)
import tensorflow as tf

history, weights = [], tf.Variable(tf.random.normal((400, 400)))
for step in range(400):
    activations = tf.tanh(tf.ones((600, 400)) @ weights)
    history.append(activations)
"""
Whydied = Callable[..., "subprocess.CompletedProcess[bytes]"]


def test_data_and_memory_are_checked_before_a_step_runs(tmp_path: Path, whydied: Whydied) -> None:
    (tmp_path / "train.py").write_text(TRAINING)
    done = whydied("check", "train.py", "--limit", "100M", "--json", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert (found["ok"], found["failure"]) == (False, None)
    assert "expected classes from 0 to 2" in found["data"][0]["message"]
    (call,) = found["memory"]["calls"]
    assert (call["kind"], call["location"]["line"]) == ("fit", 12)
    assert call["largest_batch"]["batch_size"] < call["batch_size"] == 32
    assert b"trained" not in done.stderr


def test_a_program_that_fails_before_its_first_step_is_explained(tmp_path: Path, whydied: Whydied) -> None:
    (tmp_path / "train.py").write_text(BROKEN)
    done = whydied("check", "train.py", cwd=tmp_path)
    assert done.returncode == 1
    assert b"it fails before its first step (train.py:3)" in done.stdout
    assert b"epochs" in done.stdout


def test_code_is_checked_too(tmp_path: Path, whydied: Whydied) -> None:
    (tmp_path / "train.py").write_text(KEEPS)
    found = json.loads(whydied("check", "train.py", "--json", cwd=tmp_path).stdout)
    assert [(one["code"], one["location"]["line"]) for one in found["code"]] == [("LNT001", 8)]
