"""Traced steps under watch, by real programs: the first bad step is captured, and the program does not notice."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import msgspec
import numpy
import pytest
from tests import child

from whydied.inside.numerics import step_file
from whydied.records import Capture, InternalError, Lines, LossesSeen, NormsSeen, RecorderLimited, StepCaptured

pytestmark = pytest.mark.tensorflow
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}

HEALTHY = """
import hashlib
import keras
import numpy as np
import tensorflow as tf

kept = []
x = np.random.RandomState(0).rand(192, 8).astype("float32")
y = x.sum(1, keepdims=True)


def told(name, variables):
    print(name, hashlib.sha256(b"".join(np.asarray(v).tobytes() for v in variables)).hexdigest(), flush=True)


def layers():
    return [
        keras.layers.Input((8,)),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.BatchNormalization(),
        keras.layers.Dropout(0.3),
        keras.layers.Dense(1, dtype="float32"),
    ]


for name, how in {
    "sgd": {"optimizer": keras.optimizers.SGD(0.01, momentum=0.9)},
    "adam": {"optimizer": keras.optimizers.Adam(1e-3, global_clipnorm=1.0), "metrics": ["mae"]},
    "several": {"optimizer": "adam", "steps_per_execution": 3},
    "accumulated": {"optimizer": keras.optimizers.SGD(0.01, gradient_accumulation_steps=2)},
    "compiled": {"optimizer": "sgd", "jit_compile": True},
}.items():
    keras.utils.set_random_seed(3)
    model = keras.Sequential(layers())
    model.compile(loss="mse", **how)
    model.fit(x, y, epochs=2, batch_size=32, verbose=0)
    told(name, [*model.variables, *model.optimizer.variables])
    kept.append(model)

keras.utils.set_random_seed(3)
keras.mixed_precision.set_global_policy("mixed_float16")
model = keras.Sequential(layers())
model.compile(keras.optimizers.Adam(1e-2), "mse")
model.fit(x, y * 1e4, epochs=2, batch_size=32, verbose=0)
told("mixed", [*model.variables, *model.optimizer.variables])
keras.mixed_precision.set_global_policy("float32")

tf.random.set_seed(5)
weight = tf.Variable(tf.random.normal([8, 1]))
total = tf.Variable(0.0, trainable=False)


@tf.function
def masked(a, b):
    "Intended NaN inside of a mask, and a gradient that is cleaned before it is applied."
    with tf.GradientTape() as tape:
        known = tf.math.is_finite(b)
        error = tf.where(known, (a @ weight - tf.where(known, b, 0.0)) ** 2, 0.0)
        loss = tf.reduce_mean(error) + tf.reduce_sum(tf.where(weight > 9.0, tf.math.log(weight - 9.0), 0.0) * 0.0 + 0.0)
    gradient = tape.gradient(tf.reduce_mean(error), weight) if False else tape.gradient(loss, weight)
    gradient = tf.where(tf.math.is_finite(gradient), gradient, 0.0)
    weight.assign_sub(0.05 * gradient + 0.001 * tf.random.normal([8, 1]))
    total.assign_add(tf.reduce_sum(tf.abs(gradient)))
    return tf.reduce_sum(error)


holes = y.copy()
holes[::7] = np.nan
for start in range(0, 192, 32):
    masked(tf.constant(x[start : start + 32]), tf.constant(holes[start : start + 32]))
told("masked", [weight, total])


@tf.function(jit_compile=True)
def around(a, b):
    return masked_plain(a, b)


@tf.function
def masked_plain(a, b):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((a @ weight - b) ** 2)
    weight.assign_sub(0.05 * tape.gradient(loss, weight))
    return loss


masked_plain(tf.constant(x[:32]), tf.constant(y[:32]))
print("around", float(around(tf.constant(x[:32]), tf.constant(y[:32]))))
with tf.GradientTape() as tape:
    value = masked_plain(tf.constant(x[:32]), tf.constant(y[:32]))
told("taped", [tape.gradient(value, weight)])
tf.config.run_functions_eagerly(True)
told("eager", [masked_plain(tf.constant(x[:32]), tf.constant(y[:32]))])
"""


def test_a_healthy_program_does_not_notice(tmp_path: Path) -> None:
    path = child.write(tmp_path, HEALTHY)
    expected = child.plain(path, cwd=tmp_path, env=QUIET, timeout_s=280)
    assert expected.status == 0, expected.stderr
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=QUIET, timeout_s=280)
    assert recorded.ended.stdout == expected.stdout
    assert recorded.ended.status == 0
    assert recorded.all(StepCaptured) == []
    assert recorded.all(InternalError) == []
    norms = recorded.all(NormsSeen)
    assert {"one_step_on_data", "masked"} <= {record.function for record in norms}
    # In two epochs of 6 steps, the loss scale of mixed precision comes down and steps are left out.
    assert any(record.scale is not None and record.scale < 2.0**15 for record in norms)
    adam = next(record for record in norms if record.learning_rate == pytest.approx(1e-3) and record.losses)
    assert len(adam.norms) == len(adam.steps) == len(adam.losses) == 12
    assert all(value > 0 for row in adam.norms for value in row)
    # Those of the first steps are written while it goes on, and no evaluation's among them.
    first = [record for record in recorded.all(LossesSeen) if record.losses == adam.losses[: len(record.losses)]]
    assert [len(record.losses) for record in first] == [4, 8, 12]
    assert first[-1].norms == pytest.approx([numpy.linalg.norm(row) for row in adam.norms], rel=1e-5)


FIT = """
import keras
import numpy as np

keras.utils.set_random_seed(1)
x = np.random.RandomState(0).rand(200, 6).astype("float32")
y = x.sum(1, keepdims=True)
x[123, 2] = np.nan
model = keras.Sequential(
    [
        keras.layers.Input((6,)),
        keras.layers.Dense(8, activation="relu", name="first"),
        keras.layers.BatchNormalization(name="norm"),
        keras.layers.Dropout(0.2),
        keras.layers.Dense(1),
    ],
    name="net",
)
model.compile("adam", "mse", metrics=["mae"]{more})
try:
    model.fit(x, y, batch_size=20, epochs=2, verbose=0)
except Exception as error:
    print(type(error).__name__, "whydied: stopped" in str(error), "whydied/inside" in str(error))
print([bool(np.isfinite(np.asarray(v)).all()) for v in [*model.trainable_variables, *model.optimizer.variables]])
"""


def _comparable(ended: child.Ended) -> child.Ended:
    """Without the lines that TensorFlow's native part logs, which carry the time."""
    lines = [line for line in ended.stderr.splitlines() if not re.match(r"[IWE]\d{4} |WARNING: All log", line)]
    return ended._replace(stderr="\n".join(lines))


def _capture(recorded: child.Recorded) -> tuple[StepCaptured, Capture, Path]:
    record = recorded.one(StepCaptured)
    return record, *recorded.capture(record)


def test_the_first_bad_step_of_fit(tmp_path: Path) -> None:
    path = child.write(tmp_path, FIT.replace("{more}", ""))
    expected = child.plain(path, cwd=tmp_path, env=QUIET)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=QUIET)
    assert _comparable(recorded.ended) == _comparable(expected)
    assert recorded.all(InternalError) == []
    record, capture, directory = _capture(recorded)
    assert (record.kind, record.epoch, record.late, record.stopped) == ("traced", 0, "", False)
    assert record.frames[-1].line == 20
    assert record.step is not None
    fed = {value.name: value for value in capture.fed}
    row = list(fed["x"].rows).index(123)
    assert fed["y"].rows == fed["x"].rows
    batch = step_file.load(str(directory), fed["x"].file or "", fed["x"].dtype)
    assert numpy.isnan(batch[row, 2])
    assert {suspect.name for suspect in capture.suspects if suspect.role == "gradient"} >= {"net/first/kernel"}
    roles = {value.role for value in capture.state}
    assert {"weight", "slot", "statistic", "seed", "metric"} <= roles
    for value in capture.state:
        array = step_file.load(str(directory), value.file or "", value.dtype)
        assert value.moment == "start"
        assert list(array.shape) == value.shape
        assert value.dtype.startswith("int") or numpy.isfinite(array).all(), value.name
    lines = msgspec.json.decode((directory / "lines.json").read_bytes(), type=Lines).functions[""]
    first = next(line for line in lines.values() if line.layer == "first")
    assert first.layer_made is not None
    assert first.layer_made.line == 8
    assert b"whydied" not in (directory / "graph.pb").read_bytes()
    for file in [directory, *directory.iterdir()]:
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0
    norms = next(found for found in recorded.all(NormsSeen) if found.moment == "capture")
    assert norms.steps[-1] == record.step
    assert not numpy.isfinite(norms.norms[-1]).all()
    assert numpy.isfinite(norms.norms[:-1]).all()


EVALUATION = """
import keras
import numpy as np

keras.utils.set_random_seed(1)
x = np.random.RandomState(0).rand(120, 4).astype("float32")
y = x.sum(1, keepdims=True)


def precision(known, found):
    return keras.ops.sum(found * known) / keras.ops.sum(known - known)


def model(**more):
    made = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(4, activation="tanh"), keras.layers.Dense(1)])
    made.compile("sgd", "mse", **more)
    return made


model().fit(x, y, validation_split=0.2, epochs=2, verbose=0)
gap = x[80:].copy()
gap[17, 2] = np.nan
model().fit(x[:80], y[:80], validation_data=(gap, y[80:]), epochs=2, verbose=0)
model(metrics=[precision]).fit(x, y, verbose=0)
x[5] = np.nan
model().fit(x, y, shuffle=False, validation_data=(x, y), verbose=0)
"""


@pytest.mark.variation
def test_an_evaluation_is_watched_by_its_metrics(tmp_path: Path) -> None:
    """One capture of each cause: weights that a bad step left are not captured again when they are evaluated."""
    recorded = child.inside(child.write(tmp_path, EVALUATION), cwd=tmp_path, run=tmp_path / "run", env=QUIET)
    assert recorded.ended.status == 0, recorded.ended.stderr
    assert recorded.all(InternalError) == []
    captured = recorded.all(StepCaptured)
    assert [(record.suspects[0].role, record.suspects[0].name) for record in captured[:2]] == [
        ("loss", "loss"),
        ("metric", "precision"),
    ]
    assert [record.frames[-1].line for record in captured] == [22, 23, 25]
    capture, _ = recorded.capture(captured[0])
    fed = next(value for value in capture.fed if value.name == "x")
    assert (fed.data_set, fed.rows[17]) == ("gap", 17)


SCHEDULES = """
import keras
import numpy as np

x = np.ones((60, 2), "float32")


class Own(keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step):
        assert not isinstance(step, int), "asked by somebody else than Keras"
        return 0.02


for rate in (keras.optimizers.schedules.ExponentialDecay(0.01, decay_steps=3, decay_rate=2.0), Own(), 0.03):
    model = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(rate), "mse")
    model.fit(x, x[:, :1], batch_size=10, verbose=0)
"""


@pytest.mark.variation
def test_the_rate_of_a_schedule_is_told_unless_the_program_wrote_it(tmp_path: Path) -> None:
    recorded = child.inside(child.write(tmp_path, SCHEDULES), cwd=tmp_path, run=tmp_path / "run", env=QUIET)
    assert recorded.ended.status == 0, recorded.ended.stderr
    assert recorded.all(InternalError) == []
    told = [(record.first_learning_rate, record.learning_rate) for record in recorded.all(NormsSeen)]
    assert (pytest.approx(0.01), pytest.approx(0.04)) in told
    assert (None, None) in told
    assert (None, pytest.approx(0.03)) in told


LIFE = """
import gc
import weakref
import keras
import numpy as np

x = np.ones((8, 4), "float32")
living = []
for _ in range(3):
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(x, x[:, :1], verbose=0)
    living += [weakref.ref(thing) for thing in (model, model.optimizer, *model.trainable_variables)]
del model
keras.backend.clear_session()
gc.collect()
print(sum(reference() is not None for reference in living))
"""


def test_nothing_of_the_programs_is_kept_alive(tmp_path: Path) -> None:
    path = child.write(tmp_path, LIFE)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=QUIET)
    assert recorded.ended.stdout == "0\n"
    assert recorded.all(InternalError) == []


@pytest.mark.variation
def test_stop_on_nan_leaves_the_weights_as_they_were(tmp_path: Path) -> None:
    path = child.write(tmp_path, FIT.replace("{more}", ""))
    env = {**QUIET, "WHYDIED_OPTIONS": "stop-on-nan"}
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=env)
    assert recorded.ended.stdout.splitlines()[0] == "InvalidArgumentError True False"
    assert "False" not in recorded.ended.stdout.splitlines()[1]
    assert recorded.one(StepCaptured).stopped


def test_a_step_that_xla_compiles(tmp_path: Path) -> None:
    path = child.write(tmp_path, FIT.replace("{more}", ", jit_compile=True"))
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=QUIET)
    assert recorded.all(InternalError) == []
    _, capture, directory = _capture(recorded)
    assert 123 in next(value for value in capture.fed if value.name == "x").rows
    weights = [value for value in capture.state if value.role == "weight"]
    assert len(weights) == 6
    for value in weights:
        assert value.moment == "start"
        assert numpy.isfinite(step_file.load(str(directory), value.file or "", value.dtype)).all()
    assert capture.missing


DIRECT = """
import time
import numpy as np
import tensorflow as tf

x = np.random.RandomState(0).rand(80, 4).astype("float32")
y = np.random.RandomState(1).rand(80, 1).astype("float32")
y[55] = 0.0
w = tf.Variable(tf.ones([4, 1]))

@tf.function(jit_compile=True)
def step(a, b):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.math.log(b) * (a @ w))
    w.assign_sub(0.01 * tape.gradient(loss, w))
    return loss

for start in range(0, 80, 10):
    step(tf.constant(x[start : start + 10]), tf.constant(y[start : start + 10]))
    time.sleep(0.5)
"""


@pytest.mark.variation
def test_a_compiled_step_without_a_graph_around_it(tmp_path: Path) -> None:
    """Looked at between the calls, here at each."""
    path = child.write(tmp_path, DIRECT)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=QUIET)
    assert recorded.ended.status == 0, recorded.ended.stderr
    assert recorded.all(InternalError) == []
    record, capture, directory = _capture(recorded)
    assert [(suspect.role, suspect.name) for suspect in record.suspects] == [("weight", "w")]
    assert any(55 in value.rows for value in capture.fed if value.name == "b")
    state = capture.state[0]
    assert (state.name, state.moment) == ("w", "start")
    assert numpy.isfinite(step_file.load(str(directory), state.file or "", "float32")).all()


@pytest.mark.variation
def test_nothing_is_hooked_when_not_wanted(tmp_path: Path) -> None:
    path = child.write(tmp_path, FIT.replace("{more}", ""))
    env = {**QUIET, "WHYDIED_OPTIONS": "no-numerics"}
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=env)
    assert recorded.all(StepCaptured) == []
    assert recorded.all(NormsSeen) == []


EXPORT = """
import sys
import tensorflow as tf

class Net(tf.Module):
    def __init__(self):
        self.w = tf.Variable(tf.ones([4, 1]))

    @tf.function(input_signature=[tf.TensorSpec([None, 4]), tf.TensorSpec([None, 1])])
    def train(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ self.w - y) ** 2)
        self.w.assign_sub(0.1 * tape.gradient(loss, self.w))
        return {"loss": loss}

net = Net()
net.train(tf.ones([2, 4]), tf.zeros([2, 1]))
tf.saved_model.save(net, sys.argv[1], signatures={"train": net.train})
"""
IMPORT = """
import sys
import tensorflow as tf
net = tf.saved_model.load(sys.argv[1])
print(float(net.train(tf.ones([2, 4]), tf.zeros([2, 1]))["loss"]))
print(float(net.signatures["train"](x=tf.ones([2, 4]), y=tf.zeros([2, 1]))["loss"]))
"""


@pytest.mark.variation
def test_an_exported_step_has_nothing_of_ours(tmp_path: Path) -> None:
    path = child.write(tmp_path, EXPORT)
    recorded = child.inside(path, tmp_path / "model", cwd=tmp_path, run=tmp_path / "run", env=QUIET)
    assert recorded.ended.status == 0, recorded.ended.stderr
    assert recorded.all(InternalError) == []
    data = (tmp_path / "model" / "saved_model.pb").read_bytes()
    assert b"whydied" not in data
    assert b"PyFunc" not in data
    reader = child.write(tmp_path, IMPORT, "reader.py")
    loaded = child.plain(reader, tmp_path / "model", cwd=tmp_path, env=QUIET)
    assert loaded.status == 0, loaded.stderr
    assert [float(line) for line in loaded.stdout.split()] == pytest.approx([0.64, 0.0256], rel=1e-5)


@pytest.mark.variation
def test_every_place_may_fail(tmp_path: Path) -> None:
    import whydied.inside.hooks.traced_numerics
    import whydied.inside.numerics.traced.bad_step
    import whydied.inside.numerics.traced.exported_graphs
    from whydied.inside.guest import guard

    assert all(
        (
            whydied.inside.numerics.traced.exported_graphs,
            whydied.inside.numerics.traced.bad_step,
            whydied.inside.hooks.traced_numerics,
        )
    )
    places = sorted(place for place in guard.PLACES if place.startswith(("capture.", "traced_numerics.")))
    program = FIT.replace("{more}", "") + EXPORT
    path = child.write(tmp_path, program)
    expected = child.plain(path, tmp_path / "plain", cwd=tmp_path, env=QUIET)
    for number, chosen in enumerate(
        (
            places,
            ["capture.ask", "capture.export", "traced_numerics.applies"],
            ["capture.dump", "traced_numerics.ended"],
        )
    ):
        env = {**QUIET, "WHYDIED_INJECT": ",".join(chosen)}
        model = tmp_path / f"model-{number}"
        recorded = child.inside(path, model, cwd=tmp_path, run=tmp_path / f"run-{number}", env=env)
        assert _comparable(recorded.ended) == _comparable(expected)
        reached = {error.where for error in recorded.all(InternalError)}
        # Where no trace is watched, no optimizer is hooked and there is nothing to ask, to dump or to end.
        nothing = {"capture.ask", "capture.dump", "traced_numerics.applies", "traced_numerics.ended"}
        unreached = nothing if number == 0 else set()
        assert reached >= set(chosen) - unreached
        assert recorded.all(RecorderLimited) == []
