"""What the recorder keeps alive of a training program's tensors, by real programs: little, and for a short time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests import child
from tests.layers import varied

from whydied.records import InternalError, StepCaptured

pytestmark = pytest.mark.tensorflow
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_ENABLE_ONEDNN_OPTS": "0"}
# The C library gives freed memory back at once, so that what is resident is what is in use.
EXACT_RSS = {**QUIET, "MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}

# The gradients of three kernels take 16 MB each: what is applied late lives with the others.
WIDE = """
import re
import statistics
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

# What runs while a gradient waits for its check then hardly differs from run to run.
tf.config.threading.set_inter_op_parallelism_threads(1)


class Peak(keras.callbacks.Callback):
    peaks = []

    def status(self, word):
        return int(re.search(word + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

    def on_train_batch_begin(self, batch, logs=None):
        Path("/proc/self/clear_refs").write_text("5")
        self.floor = self.status("VmRSS")

    def on_train_batch_end(self, batch, logs=None):
        self.peaks.append(self.status("VmHWM") - self.floor)


keras.utils.set_random_seed(0)
x = np.random.rand(8 * 16, 2000).astype("float32")
model = keras.Sequential([keras.Input([2000]), *(keras.layers.Dense(2000, "relu") for _ in range(3))])
model.compile("adam", "mse")
model.fit(x, x, batch_size=16, verbose=0, callbacks=[Peak()])
print(statistics.median(Peak.peaks[2:]))
"""


@pytest.mark.variation
def test_large_gradients_do_not_wait_for_each_other(tmp_path: Path) -> None:
    path = child.write(tmp_path, WIDE)
    plain = child.plain(path, cwd=tmp_path, env=EXACT_RSS, timeout_s=280)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=EXACT_RSS, timeout_s=280)
    assert recorded.all(InternalError) == []
    one_gradient_kib = 2000 * 2000 * 4 / 1024
    # The next one, and its square, may be there before the update of the last is over; all of them would be six.
    assert float(recorded.ended.stdout) < float(plain.stdout) + 3 * one_gradient_kib


# Models that are trained for one eager step each, and dropped.
DROPPED = """
import gc
import re
from pathlib import Path

import keras
import numpy as np


def resident_kib():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])


held = []
for _ in range(12):
    model = keras.Sequential([keras.Input([1000]), keras.layers.Dense(4000)])
    model.compile("sgd", "mse", run_eagerly=True)
    model.train_on_batch(np.ones((2, 1000)), np.ones((2, 4000)))
    del model
    gc.collect()
    held.append(resident_kib())
print(held[-1] - held[3])
"""


def test_the_list_of_eager_ops_keeps_no_variable_alive(tmp_path: Path) -> None:
    path = child.write(tmp_path, DROPPED)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=EXACT_RSS, timeout_s=280)
    assert recorded.all(InternalError) == []
    one_model_kib = 1000 * 4000 * 4 / 1024
    # Eight models were made in between.
    assert int(recorded.ended.stdout) < 3 * one_model_kib


# Row 5 of the second batch is bad from its third moment on.
MOMENTS = """
import keras
import numpy as np

keras.utils.set_random_seed(0)
x = np.random.rand(16, 6, 3).astype("float32")
x[13, 2:] = np.nan
np.save("batch.npy", x[8:])
model = keras.Sequential([keras.Input([6, 3]), keras.layers.LSTM(4), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(x, x[:, 0, :1], batch_size=8, shuffle=False, verbose=0)
"""


@pytest.mark.variation
def test_the_batch_of_a_recurrent_layer_is_made_of_what_the_layer_keeps(tmp_path: Path) -> None:
    import numpy

    path = child.write(tmp_path, MOMENTS)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=QUIET, timeout_s=280)
    assert recorded.all(InternalError) == []
    step = recorded.one(StepCaptured)
    assert step.step == 1
    capture, directory = recorded.capture(step)
    batch = next(value for value in capture.fed if value.name == "x")
    assert batch.shape == [8, 6, 3]
    assert batch.file is not None
    numpy.testing.assert_array_equal(numpy.load(directory / batch.file), numpy.load(tmp_path / "batch.npy"))


# The first layer's output has a root of zero in one step: the loss stays finite, and so do the gradients behind it.
ROOT = """
import hashlib
import sys

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
x = np.random.rand(64, 900).astype("float32")
y = x[:, :1]
if "loss" in sys.argv:
    y[40] = np.inf
else:
    x[40] = 0.0


class Root(keras.layers.Layer):
    def call(self, inputs):
        return tf.sqrt(tf.abs(inputs))


optimizer = {"sgd": keras.optimizers.SGD(0.01), "adam": keras.optimizers.Adam(0.01)}[sys.argv[1]]
model = keras.Sequential(
    [
        keras.Input([900]),
        keras.layers.Dense(900, name="first", use_bias=False),
        Root(),
        keras.layers.Dense(900, name="second"),
        keras.layers.Dense(900, name="third"),
        keras.layers.Dense(1, name="last"),
    ]
)
model.compile(optimizer, "mse", run_eagerly=False)
for start in range(0, 64, 16):
    if start == 32:
        np.savez("before.npz", **{w.path.replace("/", "."): w.numpy() for w in model.trainable_variables})
    model.train_on_batch(x[start : start + 16], y[start : start + 16])
print(hashlib.sha256(b"".join(w.numpy().tobytes() for w in model.variables)).hexdigest())
"""


@pytest.mark.parametrize("optimizer", varied(["sgd", "adam"], "adam"))
def test_a_bad_gradient_is_caught_before_its_own_update(tmp_path: Path, optimizer: str) -> None:
    recorded = _both(tmp_path, optimizer, "gradient")
    step = recorded.one(StepCaptured)
    assert step.step == 2
    assert [suspect.name for suspect in step.suspects] == ["sequential/first/kernel"]
    assert step.suspects[0].numbers is not None
    capture, directory = recorded.capture(step)
    weights = {value.name: value for value in capture.state if value.role == "weight"}
    assert weights["sequential/first/kernel"].moment == "start"
    assert {weights["sequential/second/kernel"].moment, weights["sequential/third/kernel"].moment} == {"later"}
    assert any("updated" in text for text in capture.missing)
    assert all(value.numbers is not None and not value.numbers.nonfinite for value in weights.values())
    _same_as_before(tmp_path, directory, weights["sequential/first/kernel"].file, "sequential.first.kernel")


@pytest.mark.variation
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_where_all_gradients_are_bad_all_weights_are_those_of_the_start(tmp_path: Path, optimizer: str) -> None:
    recorded = _both(tmp_path, optimizer, "loss")
    step = recorded.one(StepCaptured)
    assert step.step == 2
    assert step.suspects[0].role == "loss"
    capture, directory = recorded.capture(step)
    weights = {value.name: value for value in capture.state if value.role == "weight"}
    assert {value.moment for value in weights.values()} == {"start"}
    for name in ("first", "second", "third"):
        _same_as_before(tmp_path, directory, weights[f"sequential/{name}/kernel"].file, f"sequential.{name}.kernel")


def _both(tmp_path: Path, *arguments: str) -> child.Recorded:
    """The program with and without us: it comes to the same weights."""
    path = child.write(tmp_path, ROOT)
    plain = child.plain(path, *arguments, cwd=tmp_path, env=QUIET, timeout_s=280)
    recorded = child.inside(path, *arguments, cwd=tmp_path, run=tmp_path / "run", env=QUIET, timeout_s=280)
    assert plain.status == 0, plain.stderr
    assert recorded.ended.stdout == plain.stdout
    assert recorded.all(InternalError) == []
    return recorded


def _same_as_before(tmp_path: Path, directory: Path, file: str | None, name: str) -> None:
    import numpy

    assert file is not None
    with numpy.load(tmp_path / "before.npz") as before:
        assert (numpy.load(directory / file) == before[name]).all()


# Each weak reference is to something that nobody but the recorder could still have.
EAGER = """
import gc
import sys
import time
import weakref

import keras
import numpy as np
import tensorflow as tf

if "whydied.inside.recorder" in sys.modules:
    from whydied.inside.numerics.eager import eager_steps as listed

    listed.IDLE_S = 0.5
watched = {}


def keras_step(rows):
    model = keras.Sequential([keras.Input([256]), keras.layers.Dense(256)])
    optimizer = keras.optimizers.SGD(0.01)
    for _ in range(STEPS):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(rows) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
    watched["gradient"] = weakref.ref(gradients[0])
    watched["weight"] = weakref.ref(model.layers[0].kernel.value.handle)


def own_step(rows):
    weight = tf.Variable(tf.random.normal([256, 256]))
    data = np.ones([1000, 256], "float32")
    watched["array"], watched["variable"] = weakref.ref(data), weakref.ref(weight)
    for step in range(STEPS):
        batch = tf.constant(data[step : step + 8])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((batch @ weight) ** 2)
        weight.assign_sub(0.1 * tape.gradient(loss, weight))


def unnamed_batches():
    weight = tf.Variable(tf.ones([1 << 20]))
    for _ in range(STEPS):
        big = tf.ones([9, 1 << 20])
        watched["batch"] = weakref.ref(big)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(big * weight)
        del big
        weight.assign_sub(tape.gradient(loss, weight))
        del tape, loss
        print("batch held:", watched.pop("batch")() is not None)


def held():
    gc.collect()
    return sorted(name for name, reference in watched.items() if reference() is not None)


STEPS = int(sys.argv[2])
{"keras": keras_step, "own": own_step}[sys.argv[1]](tf.ones([8, 256])) if sys.argv[1] != "batch" else unnamed_batches()
end = time.monotonic() + 20
while held() and time.monotonic() < end:
    time.sleep(0.1)
print("held:", held())
"""


@pytest.mark.parametrize("steps", varied(["1", "3", "6"], "3"))
@pytest.mark.parametrize("kind", varied(["keras", "own"], "own"))
def test_of_an_eager_training_that_is_over_nothing_is_held(tmp_path: Path, kind: str, steps: str) -> None:
    path = child.write(tmp_path, EAGER)
    recorded = child.inside(path, kind, steps, cwd=tmp_path, run=tmp_path / "run", env=QUIET, timeout_s=120)
    assert recorded.ended.status == 0, recorded.ended.stderr
    assert recorded.all(InternalError) == []
    assert recorded.ended.stdout.splitlines()[-1] == "held: []"


@pytest.mark.variation
def test_a_large_batch_of_a_listed_step_is_not_held(tmp_path: Path) -> None:
    path = child.write(tmp_path, EAGER)
    recorded = child.inside(path, "batch", "3", cwd=tmp_path, run=tmp_path / "run", env=QUIET, timeout_s=120)
    assert recorded.ended.status == 0, recorded.ended.stderr
    assert re.findall("batch held: (.*)", recorded.ended.stdout) == ["False"] * 3
