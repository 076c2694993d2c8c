"""The hooks that the rules about growth rest on, by real programs: what they record, and that the program does not
notice."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import child

from whydied.records import (
    ConstantMade,
    DatasetMade,
    InternalError,
    RecorderLimited,
    SessionOpened,
    SessionRan,
    VariablesMade,
)

pytestmark = pytest.mark.tensorflow
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_ENABLE_ONEDNN_OPTS": "0"}

EAGER = """
import keras
import numpy as np
import tensorflow as tf

made = [tf.Variable(tf.ones((10, 10))) for _ in range(12)]  # variables
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
rows = tf.data.Dataset.from_tensor_slices(np.ones((100, 5), "float32"))
rows = rows.shuffle(40)  # shuffle
rows = rows.batch(10, drop_remainder=True).cache()  # cache
rows = rows.prefetch(tf.data.AUTOTUNE)
print(sum(float(tf.reduce_sum(row)) for row in rows))
table = np.ones((3000, 2000), "float32")

with tf.Graph().as_default():
    total = tf.reduce_sum(tf.constant(table))  # constant
print(total.name, tf.Variable(1.0).name, made[3].shape)
"""

SESSIONS = """
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
w = tf.Variable(np.ones((3,), "float32"))
for step in range(4):
    sess = tf.Session()  # session
    sess.run(w.initializer)
    grown = w * float(step)  # adds
    print(sess.run(grown), grown.name)
    if step % 2:
        sess.close()
"""


def line_of(program: str, mark: str) -> int:
    lines = program.lstrip("\n").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# {mark}"))


def recorded(tmp_path: Path, program: str) -> child.Recorded:
    path = child.write(tmp_path, program)
    plain = child.plain(path, cwd=tmp_path, env=QUIET)
    inside = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=QUIET)
    assert (inside.ended.status, inside.ended.stdout) == (plain.status, plain.stdout)
    assert inside.all(InternalError) == []
    assert inside.all(RecorderLimited) == []
    return inside


@pytest.mark.variation
def test_variables_datasets_and_constants_are_recorded_with_their_lines(tmp_path: Path) -> None:
    seen = recorded(tmp_path, EAGER)
    variables = [made for made in seen.all(VariablesMade) if made.frames[-1].line == line_of(EAGER, "variables")]
    assert [made.count for made in variables][:3] == [1, 2, 3]
    assert variables[2].size_bytes == 3 * 400
    stages = {stage.kind: stage for stage in seen.all(DatasetMade) if stage.kind != "prefetch"}
    shuffle, cache = stages["shuffle"], stages["cache"]
    assert (shuffle.buffer_size, shuffle.elements, shuffle.element_bytes) == (40, 100, 20)
    assert (cache.elements, cache.element_bytes) == (10, 200)
    assert shuffle.frames[-1].line == line_of(EAGER, "shuffle")
    # TensorFlow may make the same array a constant more than once.
    constant = seen.all(ConstantMade)[0]
    assert (constant.size_bytes, constant.shape) == (24_000_000, [3000, 2000])
    assert constant.frames[-1].line == line_of(EAGER, "constant")


@pytest.mark.variation
def test_sessions_and_what_they_add_are_recorded_with_their_lines(tmp_path: Path) -> None:
    seen = recorded(tmp_path, SESSIONS)
    opened = seen.all(SessionOpened)
    assert [one.count for one in opened] == [1, 2, 3, 4]
    assert {one.frames[-1].line for one in opened} == {line_of(SESSIONS, "session")}
    added = {line.line for ran in seen.all(SessionRan) for line in ran.added}
    assert line_of(SESSIONS, "adds") in added
