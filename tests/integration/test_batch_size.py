"""`whydied.fit_batch_size` by real training under a limit: the batch that it names runs, one 15 % larger does not."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from tests import child

from whydied.config import parse_memory_limit
from whydied.run.observe import limits

pytestmark = pytest.mark.tensorflow
LIMIT = "1500M"
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
MODEL = """
import json
import sys
import keras
import numpy as np
import whydied

model = keras.Sequential([
    keras.Input((64, 64, 3)),
    keras.layers.Conv2D(32, 3, activation="relu", padding="same"),
    keras.layers.Conv2D(32, 3, activation="relu", padding="same"),
    keras.layers.GlobalAveragePooling2D(),
    keras.layers.Dense(10),
])
model.compile("adam", "mse")
x, y = np.zeros((1200, 64, 64, 3), "float32"), np.zeros((1200, 10), "float32")
"""
ASKED = """
before = [weight.copy() for weight in model.get_weights()]
found = whydied.fit_batch_size(model, x, y, limit=sys.argv[1], verify=sys.argv[2] == "child")
same = all((one == other).all() for one, other in zip(before, model.get_weights()))
print(json.dumps([found.batch_size, found.predicted_bytes, found.measured_bytes, len(found.trials), same]))
"""
TRAINED = """
model.fit(x, y, batch_size=int(sys.argv[1]), steps_per_epoch=2, verbose=0)
print("trained")
"""


def trained(tmp_path: Path, rows: int) -> bool:
    """Whether a training with so many rows survives under the limit."""
    limit = limits.wanted_limit(parse_memory_limit(LIMIT), f"test-{os.getpid()}-{rows}")
    if limit.made is None:
        pytest.skip(f"needs a control group: {limit.reason}")
    script = child.write(tmp_path, MODEL + TRAINED, "trained.py")
    try:
        joining = ("sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', limit.made.path)
        ended = child.plain(*joining, sys.executable, script, str(rows), cwd=tmp_path, env=QUIET, timeout_s=280)
    finally:
        limits.remove_group(limit.made)
    return ended.status == 0 and "trained" in ended.stdout


STEP = """
import tensorflow as tf
optimizer = keras.optimizers.Adam()

@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))

before = [weight.copy() for weight in model.get_weights()]
found = whydied.fit_batch_size(step, x, y, limit=sys.argv[1])
same = all((one == other).all() for one, other in zip(before, model.get_weights()))
print(json.dumps([found.batch_size, [trial.batch_size for trial in found.trials], same]))
step(x[: found.batch_size], y[: found.batch_size])
"""


@pytest.mark.variation
def test_a_step_of_a_training_loop_is_measured_where_it_is(tmp_path: Path) -> None:
    ended = child.plain(child.write(tmp_path, MODEL + STEP), LIMIT, cwd=tmp_path, env=QUIET, timeout_s=280)
    assert ended.status == 0, ended.stderr
    rows, tried, same = json.loads(ended.stdout.splitlines()[-1])
    assert same
    assert 1 <= len(tried) <= 4
    assert tried == sorted(set(tried))
    assert max(tried) < rows


def test_the_batch_fits_and_a_larger_one_does_not(tmp_path: Path) -> None:
    script = child.write(tmp_path, MODEL + ASKED)
    ended = child.plain(script, LIMIT, "child", cwd=tmp_path, env=QUIET, timeout_s=580)
    assert ended.status == 0, ended.stderr
    rows, predicted, measured, trials, same = json.loads(ended.stdout.splitlines()[-1])
    assert same
    assert 1 <= trials <= 5
    assert abs(predicted - measured) < 0.3 * measured
    assert trained(tmp_path, rows)
    assert not trained(tmp_path, round(1.15 * rows))
