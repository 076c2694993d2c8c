"""The edits that accumulate gradients give the weights of the large batch, by real training: ten updates in float32."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import child
from tests.layers import varied

from whydied.source.edits.edit import edited
from whydied.source.edits.memory.accumulated_batches import optimizer_accumulates, step_in_slices
from whydied.source.edits.runs.size_edits import smaller_batch
from whydied.source.text import Source

pytestmark = pytest.mark.tensorflow
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
DATA = """
import keras
import numpy as np
import tensorflow as tf
keras.utils.set_random_seed(1)
rng = np.random.default_rng(0)
rows, wanted = rng.random((640, 20), dtype="float32"), rng.random((640, 1), dtype="float32")
model = keras.Sequential([keras.layers.Dense(32, "tanh"), keras.layers.Dense(1)])
"""
FIT = """
model.compile({optimizer}, "mse")
model.fit(rows, wanted, batch_size=64, verbose=0)
"""
LOOP = """
optimizer = {optimizer}
{decorator}
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    slopes = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(slopes, model.trainable_variables))
    return loss
for at in range(0, 640, 64):
    step(tf.constant(rows[at : at + 64]), tf.constant(wanted[at : at + 64]))
"""
COMPARED = """
import runpy
import numpy as np
found = []
for file in ("before.py", "after.py"):
    names = runpy.run_path(file)
    found.append([np.asarray(weight) for weight in names["model"].get_weights()])
for one, other in zip(*found):
    print(np.linalg.norm(one - other) / np.linalg.norm(one))
"""
ADAM, SGD = "keras.optimizers.Adam(0.01)", "keras.optimizers.SGD(0.1, momentum=0.9)"
CASES = [("fit", ADAM), ("fit", SGD), ("eager", ADAM), ("traced", ADAM), ("traced", SGD)]


@pytest.mark.parametrize(("way", "optimizer"), varied(CASES, ("fit", ADAM), ("traced", SGD)))
def test_ten_updates_are_those_of_the_large_batch(way: str, optimizer: str, tmp_path: Path) -> None:
    before, after = FIT if way == "fit" else LOOP, ""
    before = DATA + before.format(optimizer=optimizer, decorator="@tf.function" if way == "traced" else "")
    source = Source(before)
    if way == "fit":
        line = next(number for number, one in enumerate(source.lines, 1) if "fit(" in one)
        edits = [
            smaller_batch(source, "f", line, "fit", 64, 8, by_default=False),
            optimizer_accumulates({"f": source}, 8),
        ]
        after = edited(source, [one for one in edits if one is not None]) or ""
    else:
        line = next(number for number, one in enumerate(source.lines, 1) if "return loss" in one)
        # Slices of 24 rows: the last of each batch is shorter.
        after = edited(source, step_in_slices(source, "f", line, "x", 24)) or ""
    assert after
    script = tmp_path / "compared.py"
    script.write_text(COMPARED)
    (tmp_path / "before.py").write_text(before)
    (tmp_path / "after.py").write_text(after)
    ended = child.plain(script, cwd=tmp_path, env=QUIET, timeout_s=280)
    assert ended.status == 0, ended.stderr
    apart = [float(line) for line in ended.stdout.splitlines()]
    assert len(apart) == 4
    assert max(apart) < 1e-5
