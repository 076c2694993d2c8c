"""The shapes that models, functions, sessions and pipelines got, and the weights that layers made, by real programs."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from tests import child
from tests.layers import varied

from whydied.records import InputsSeen, InternalError, LayersPlanned, WeightMade

pytestmark = pytest.mark.tensorflow
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}

EAGER = """
import keras
import numpy as np
import tensorflow as tf

table = keras.layers.Embedding(300_000, 4, name="table")
net = keras.Sequential([keras.layers.Dense(3), keras.layers.Dense(1)], name="net")
for rows in (4, 4, 9):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(net(np.ones((rows, 2), "float32")))
net(tf.ones((50, 2)))
table(tf.zeros((1, 1), tf.int32))

@tf.function
def step(x, y):
    return tf.reduce_sum(net(x)) + tf.reduce_sum(y)

for rows in (3, 3, 5):
    step(tf.ones((rows, 2)), y=np.ones(rows, "float32"))

net.compile("sgd", "mse")
net.train_on_batch(np.ones((7, 2), "float32"), np.ones((7, 1), "float32"))

def batches():
    for length in (2, 2, 6):
        yield np.ones((length, 2), "float32"), np.ones((length, 1), "float32")

net.fit(batches(), verbose=0)
"""
SESSION = """
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rows = tf.placeholder(tf.float32, [None, 3], name="rows")
total = tf.reduce_sum(rows)
with tf.Session() as session:
    for count in (2, 2, 8):
        session.run(total, {rows: np.ones((count, 3), "float32")})
    total.eval({rows: np.ones((30, 3))})
"""
PLANNED = """
import {package} as keras
import tensorflow as tf

inputs = keras.Input((8, 8, 3))
x = keras.layers.Conv2D(4, 3, padding="same")(inputs)
x = keras.layers.Flatten()(x)
wide = keras.layers.Dense(20_000, name="wide")
net = keras.Model(inputs, wide(x), name="net")
for rows in (2, 2, 5):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(net(tf.ones((rows, 8, 8, 3))))
net(tf.ones((9, 8, 8, 3)))
print(loss.shape)
"""


@pytest.fixture(scope="module")
def eager(tmp_path_factory: pytest.TempPathFactory) -> child.Recorded:
    directory = tmp_path_factory.mktemp("eager")
    recorded = child.inside(child.write(directory, EAGER), cwd=directory, run=directory / "run", env=QUIET)
    assert recorded.ended.status == 0, recorded.ended.stderr
    assert recorded.all(InternalError) == []
    return recorded


def _shapes(recorded: child.Recorded, unit: str, name: str | None = None) -> list[list[list[int]]]:
    return [one.shapes for one in recorded.all(InputsSeen) if one.unit == unit and name in (None, one.name)]


def test_a_model_called_eagerly_tells_new_shapes_once(eager: child.Recorded) -> None:
    assert _shapes(eager, "call", "net")[:3] == [[[4, 2]], [[9, 2]], [[50, 2]]]


def test_a_tape_is_told(eager: child.Recorded) -> None:
    calls = [one for one in eager.all(InputsSeen) if one.unit == "call" and one.name == "net"]
    assert [one.taped for one in calls[:3]] == [True, True, False]
    assert calls[0].frames[-1].line == 9


def test_a_function_tells_its_arguments(eager: child.Recorded) -> None:
    calls = [one for one in eager.all(InputsSeen) if one.unit == "function" and one.name == "step"]
    assert [one.shapes for one in calls] == [[[3, 2], [3]], [[5, 2], [5]]]
    assert [one.arguments for one in calls] == [["0", "y"]] * 2
    assert calls[-1].count == 3


def test_a_batch_and_a_generator_tell_theirs(eager: child.Recorded) -> None:
    assert _shapes(eager, "batch") == [[[7, 2]]]
    assert [[6, 2]] in _shapes(eager, "generator")


def test_layers_inside_of_layers_are_not_told(eager: child.Recorded) -> None:
    assert {one.name for one in eager.all(InputsSeen) if one.unit == "call"} == {"net", "table"}


def test_a_large_weight_is_told_before_it_is_made(eager: child.Recorded) -> None:
    weight = eager.one(WeightMade)
    assert (weight.layer, weight.shape, weight.size_bytes) == ("table", [300_000, 4], 4_800_000)
    assert weight.built is not None
    assert weight.built.line == 5
    assert weight.total_bytes > weight.size_bytes


def test_a_session_tells_its_feeds(tmp_path: Path) -> None:
    recorded = child.inside(child.write(tmp_path, SESSION), cwd=tmp_path, run=tmp_path / "run", env=QUIET)
    assert recorded.ended.status == 0, recorded.ended.stderr
    assert recorded.all(InternalError) == []
    seen = [one for one in recorded.all(InputsSeen) if one.unit == "session"]
    assert [one.shapes for one in seen] == [[[2, 3]], [[8, 3]], [[30, 3]]]
    assert [one.frames[-1].line for one in seen] == [9, 9, 10]
    assert seen[0].arguments == ["rows:0"]


def _planned(directory: Path, package: str, **env: str) -> child.Recorded:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"needs {package}")
    path = child.write(directory, PLANNED.format(package=package))
    return child.inside(path, cwd=directory, run=directory / "run", env={**QUIET, **env})


@pytest.mark.parametrize("package", varied(["keras", "tf_keras"], "tf_keras"))
def test_both_versions_of_keras_tell_calls_weights_and_layers(package: str, tmp_path: Path) -> None:
    recorded = _planned(tmp_path, package)
    assert recorded.ended.status == 0, recorded.ended.stderr
    assert recorded.all(InternalError) == []
    assert _shapes(recorded, "call", "net") == [[[2, 8, 8, 3]], [[5, 8, 8, 3]], [[9, 8, 8, 3]]]
    assert [one.taped for one in recorded.all(InputsSeen) if one.unit == "call"] == [True, True, False]
    weight = recorded.one(WeightMade)
    assert (weight.layer, weight.shape, weight.dtype) == ("wide", [256, 20_000], "float32")
    assert weight.built is not None
    assert weight.built.line == 7
    plan = recorded.one(LayersPlanned)
    assert plan.model == "net"
    assert [one.type for one in plan.layers] == ["InputLayer", "Conv2D", "Flatten", "Dense"]
    assert [one.elements for one in plan.layers] == [192, 256, 256, 20_000]


@pytest.mark.variation
def test_a_fault_of_ours_is_not_the_programs(tmp_path: Path) -> None:
    recorded = _planned(tmp_path, "keras", WHYDIED_INJECT="inputs.asked,inputs.function")
    assert (recorded.ended.status, recorded.ended.stdout) == (0, "()\n")
    assert {error.where for error in recorded.all(InternalError)} == {"inputs.asked"}


@pytest.mark.variation
def test_a_fault_of_ours_is_not_the_programs_of_keras_2(tmp_path: Path) -> None:
    recorded = _planned(tmp_path, "tf_keras", WHYDIED_INJECT="inputs.called,inputs.weight_made")
    assert (recorded.ended.status, recorded.ended.stdout) == (0, "()\n")
    assert {error.where for error in recorded.all(InternalError)} == {"inputs.called", "inputs.weight_made"}
