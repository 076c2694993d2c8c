"""`whydied.accumulate` gives the update of the large batch, by real training."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from tests import child
from tests.layers import varied

pytestmark = pytest.mark.tensorflow
SCENARIOS = Path(__file__).with_name("accumulation_scenarios.py")
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
CASES = [
    ("keras", "sgd", "fit"),
    ("keras", "adam", "fit"),
    ("keras", "adam", "function"),
    ("keras", "clipped", "eager"),
    ("keras", "scheduled", "function"),
    ("keras", "scaled", "fit"),
    ("tf_keras", "adam", "fit"),
    ("tf_keras", "legacy", "eager"),
    ("tf_keras", "scheduled", "function"),
]


@pytest.mark.parametrize(
    ("package", "optimizer", "way"), varied(CASES, ("keras", "adam", "fit"), ("tf_keras", "legacy", "eager"))
)
def test_the_update_is_that_of_the_large_batch(package: str, optimizer: str, way: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    ended = child.plain(SCENARIOS, package, optimizer, way, cwd=tmp_path, env=QUIET, timeout_s=280)
    assert ended.status == 0, ended.stderr
    told = {name: (float(apart), float(moved)) for name, apart, moved in map(str.split, ended.stdout.splitlines())}
    assert told.keys() == {"whole", "waiting", "flushed", "again"}
    for name, (apart, moved) in told.items():
        assert moved > 1e-3, name
        assert apart < 1e-5 * (1 + moved), (name, apart, moved)
    assert told["waiting"][0] == told["again"][0] == 0.0


REFUSED = """
import keras
import tensorflow as tf
import whydied

used = keras.optimizers.SGD()
used.build([keras.Variable([1.0])])
for optimizer, steps in ((used, 4), (keras.optimizers.SGD(), 0), (keras.optimizers.SGD(), 2.5), ("adam", 4)):
    try:
        whydied.accumulate(optimizer, steps)
    except Exception as error:
        print(type(error).__name__, error)
one = whydied.accumulate(keras.optimizers.SGD(1.0), 1)
weight = keras.Variable([3.0])
one.apply([tf.constant([1.0])], [weight])
one.flush()
print(weight.numpy())
with tf.distribute.OneDeviceStrategy("cpu:0").scope():
    try:
        whydied.accumulate(keras.optimizers.SGD(1.0), 4)
    except Exception as error:
        print(type(error).__name__, error)
"""


@pytest.mark.variation
def test_what_cannot_be_is_said(tmp_path: Path) -> None:
    ended = child.plain(child.write(tmp_path, REFUSED), cwd=tmp_path, env=QUIET)
    assert ended.status == 0, ended.stderr
    assert ended.stdout.splitlines() == [
        "UsageError SGD has already created its variables",
        "ValueError steps must be an integer of at least 1, not 0",
        "ValueError steps must be an integer of at least 1, not 2.5",
        "UsageError str is not an optimizer that whydied.accumulate supports",
        "[2.]",
        "UsageError whydied.accumulate does not work under a tf.distribute strategy",
    ]
