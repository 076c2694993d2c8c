"""Steps that run eagerly: the first bad one is captured, healthy programs do not notice, by real programs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests import child
from tests.layers import varied

from whydied.inside.guest import guard
from whydied.records import Capture, InternalError, Lines, LossesSeen, NormsSeen, StepCaptured

pytestmark = pytest.mark.tensorflow
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_ENABLE_ONEDNN_OPTS": "0"}

# The bad step's own values are kept by the program, to compare with the graph that was captured.
CUSTOM = """
import numpy as np
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential(
    [
        keras.layers.Input((4,)),
        keras.layers.Dense(8, activation="relu", name="first"),
        keras.layers.Dropout(0.3),
        keras.layers.BatchNormalization(),
        keras.layers.Dense(2, name="last"),
    ]
)
optimizer = keras.optimizers.Adam(0.01)
inputs = np.random.randn(96, 4).astype("float32")
scales = np.abs(np.random.randn(96, 2)).astype("float32") + 0.1
scales[75, 1] = 0.0


def train(x, scale):
    with tf.GradientTape() as tape:
        out = model(x, training=True)
        loss = tf.reduce_sum(tf.square(out) / scale)  # <- divides
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss, gradients


for number, (x, scale) in enumerate(tf.data.Dataset.from_tensor_slices((inputs, scales)).batch(16)):
    weights = [w.numpy() for w in model.trainable_variables]
    loss, gradients = train(x, scale)
    if not np.isfinite(float(loss)):
        np.savez("bad.npz", loss=loss, **{f"g{i}": g for i, g in enumerate(gradients)})
        np.savez("weights.npz", *weights)
        break
print(number, loss.numpy())
"""


def test_a_bad_step_is_written_with_its_batch_and_weights_and_runs_again(tmp_path: Path) -> None:
    recorded = _run(tmp_path, CUSTOM)
    assert not recorded.all(InternalError)
    told = recorded.one(StepCaptured)
    assert (told.kind, told.step, told.function, told.stopped) == ("eager", 4, "train", False)
    assert [suspect.role for suspect in told.suspects][:2] == ["loss", "gradient"]
    capture, directory = recorded.capture(told)
    assert directory.stat().st_mode & 0o777 == 0o700
    fed = {value.name: value for value in capture.fed}
    assert {name: value.role for name, value in fed.items()} == {"x": "batch", "scale": "batch"}
    assert fed["scale"].rows == list(range(64, 80))
    roles = {value.name.rpartition("/")[2]: value.role for value in capture.state if value.node}
    assert roles["kernel"] == "weight"
    assert roles["seed_generator_state"] == "seed"
    assert {value.moment for value in capture.state} == {"start"}
    assert any(value.role == "slot" and "velocity" in value.name for value in capture.state)
    assert capture.recorded_step in range(4)
    _same_values(tmp_path, directory, capture)
    lines = _lines(directory)
    divides = next(number for number, line in enumerate(CUSTOM.strip().splitlines(), 1) if "<- divides" in line)
    assert lines["RealDiv"].frames[-1].line == divides
    backward = next(line for name, line in lines.items() if name.startswith("gradient_tape/RealDiv_grad"))
    assert backward.frames[-1].line == divides
    assert lines["first/MatMul"].layer == "first"
    assert lines["first/MatMul"].layer_made is not None
    assert lines["first/MatMul"].layer_made.line == 6


def _same_values(tmp_path: Path, directory: Path, capture: Capture) -> None:
    """Run the captured graph in a session, with the captured values, and compare with what the program saw."""
    import numpy
    import tensorflow as tf

    graph_def = tf.compat.v1.GraphDef.FromString((directory / "graph.pb").read_bytes())
    with tf.Graph().as_default() as graph, tf.compat.v1.Session(graph=graph) as session:
        tf.graph_util.import_graph_def(graph_def, name="")
        for value in capture.state:
            if value.node and value.file is not None:
                handle = graph.get_tensor_by_name(f"{value.node}:0")
                array = numpy.load(directory / value.file)
                tf.raw_ops.AssignVariableOp(resource=handle, value=tf.constant(array), name="put/" + value.node)
        session.run([op for op in graph.get_operations() if op.name.startswith("put/") and not op.outputs])
        feeds = {value.tensor: numpy.load(directory / str(value.file)) for value in capture.fed}
        results = session.run(capture.targets, feeds)
    seen = numpy.load(tmp_path / "bad.npz")
    numpy.testing.assert_allclose(results[0], seen["loss"], rtol=1e-5)
    assert len(results) == len(seen.files)
    for number, result in enumerate(results[1:]):
        numpy.testing.assert_allclose(result, seen[f"g{number}"], rtol=1e-4, atol=1e-6)


STYLES = {
    "manual": """
        import numpy as np
        import tensorflow as tf

        w, b = tf.Variable(np.ones((3, 1), "float32")), tf.Variable([0.5])
        numbers = np.random.default_rng(0)
        for step in range(12):
            x = numbers.normal(size=(16, 3)).astype("float32")
            if step == 7:
                x[5, 1] = np.nan
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((tf.matmul(x, w) + b) ** 2)
            for variable, gradient in zip((w, b), tape.gradient(loss, (w, b))):
                variable.assign_sub(0.01 * gradient)
        """,
    "fit": """
        import numpy as np
        import keras

        keras.utils.set_random_seed(0)
        x, y = np.random.randn(80, 3).astype("float32"), np.random.randn(80, 1).astype("float32")
        x[:, 2] = 1.0
        x[56:64] = np.inf
        model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(4), keras.layers.Dense(1)])
        model.compile("sgd", "mse", run_eagerly=True)
        model.fit(x, y, batch_size=8, shuffle=False, verbose=0)
        """,
    "function": """
        import numpy as np
        import keras
        import tensorflow as tf

        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(4), keras.layers.Dense(1)])
        optimizer = keras.optimizers.SGD(0.01)

        @tf.function
        def forward(x):
            return tf.reduce_mean(tf.math.log(x) * model(x))

        data = np.abs(np.random.randn(80, 3)).astype("float32")
        data[60, 1] = -1.0
        for at in range(0, 80, 8):
            batch = data[at : at + 8]
            with tf.GradientTape() as tape:
                loss = forward(batch)
            optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        """,
}


@pytest.mark.parametrize("style", varied(STYLES, "fit"))
def test_the_first_bad_step_of_each_style_is_captured(style: str, tmp_path: Path) -> None:
    recorded = _run(tmp_path, STYLES[style])
    assert not recorded.all(InternalError)
    told = recorded.one(StepCaptured)
    assert told.step == 7
    capture, _ = recorded.capture(told)
    batch = next(value for value in capture.fed if value.name in ("x", "batch"))
    assert batch.role == "batch"
    assert batch.file is not None
    assert {value.role for value in capture.state if value.node} == {"weight"}
    assert {value.moment for value in capture.state} == {"start"}
    assert all(suspect.tensor in capture.targets for suspect in told.suspects)
    norms = [seen for seen in recorded.all(NormsSeen) if seen.moment == "capture"]
    assert norms
    assert norms[0].losses
    assert recorded.all(LossesSeen)[0].losses == norms[0].losses[:4]
    assert len(norms[0].norms[0]) == len(norms[0].names)


@pytest.mark.variation
def test_a_bad_first_step_is_captured_as_it_was(tmp_path: Path) -> None:
    recorded = _run(tmp_path, CUSTOM.replace("scales[75, 1]", "scales[3, 1]"))
    told = recorded.one(StepCaptured)
    capture, directory = recorded.capture(told)
    assert told.step == 0
    assert capture.recorded_step is None
    assert not capture.missing
    _same_values(tmp_path, directory, capture)


HEALTHY = """
import numpy as np
import keras
import tensorflow as tf

keras.utils.set_random_seed(3)
model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(5, activation="relu"), keras.layers.Dense(1)])
optimizer, metric = keras.optimizers.Adam(0.01), keras.metrics.Mean()
x, y = np.random.randn(64, 4).astype("float32"), np.random.rand(64, 1).astype("float32")
y[::7] = np.nan


def batches():
    return ((x[at : at + 8], y[at : at + 8]) for at in range(0, 64, 8))


for given, wanted in batches():  # labels that are not there
    known = ~np.isnan(wanted)
    with tf.GradientTape() as tape:
        error = tf.where(known, tf.square(model(given) - tf.where(known, wanted, 0.0)), 0.0)
        loss = tf.reduce_sum(error)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
for given, wanted in batches():  # gradients that are mended
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(given) - wanted))
    gradients = tape.gradient(loss, model.trainable_variables)
    metric.update_state(loss)
    mended = [tf.where(tf.math.is_finite(g), g, tf.zeros_like(g)) for g in gradients]
    optimizer.apply_gradients(zip(mended, model.trainable_variables))
for given, wanted in batches():  # steps that are left out
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(given) - wanted))
    gradients = tape.gradient(loss, model.trainable_variables)
    metric.update_state(loss)
    if np.isfinite(float(loss)):
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
w = tf.Variable(tf.random.normal([4, 1]))
for given, _ in batches():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.nn.dropout(given, 0.2) @ w))
    w.assign_sub(0.1 * tape.gradient(loss, w))
keras.mixed_precision.set_global_policy("mixed_float16")
small = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(5), keras.layers.Dense(1, dtype="float32")])
small.compile(keras.optimizers.SGD(0.01), "mse", run_eagerly=True)
small.fit(x, np.nan_to_num(y), batch_size=8, verbose=0, epochs=2)
for variable in [*model.variables, *optimizer.variables, *small.variables, w]:
    print(np.asarray(variable).tobytes().hex())
"""


def test_a_healthy_program_is_bit_identical_and_silent(tmp_path: Path) -> None:
    path = child.write(tmp_path, HEALTHY)
    expected = child.plain(path, cwd=tmp_path, env=QUIET)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=QUIET)
    assert recorded.ended == expected
    assert expected.status == 0
    assert not recorded.all(StepCaptured)
    assert not recorded.all(InternalError)
    assert {seen.moment for seen in recorded.all(NormsSeen)} == {"end"}


@pytest.mark.variation
def test_the_program_stops_at_the_bad_step_where_that_is_asked_for(tmp_path: Path) -> None:
    recorded = _run(tmp_path, STYLES["manual"], WHYDIED_OPTIONS="stop-on-nan")
    assert recorded.ended.status == 1
    assert "FloatingPointError: whydied stopped the program at step 7" in recorded.ended.stderr
    # Python 3.10 keeps the traceback of a bare raise.
    assert "whydied/inside" not in recorded.ended.stderr or sys.version_info < (3, 11)
    told = recorded.one(StepCaptured)
    assert told.stopped
    capture, _ = recorded.capture(told)
    assert {value.moment for value in capture.state} == {"start"}


@pytest.mark.variation
def test_nothing_is_done_where_numerics_are_switched_off(tmp_path: Path) -> None:
    recorded = _run(tmp_path, STYLES["manual"], WHYDIED_OPTIONS="no-numerics")
    assert not recorded.all(StepCaptured)
    assert not recorded.all(NormsSeen)


CHECKED = """
import tensorflow as tf

seen = []
from tensorflow.python.framework import op_callbacks
op_callbacks.add_op_callback(lambda kind, *rest, **more: seen.append(kind))
tf.debugging.enable_check_numerics()
w = tf.Variable([1.0, 2.0])
for step in range(4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w)
    w.assign_sub(0.1 * tape.gradient(loss, w))
print(len(seen), w.numpy())
try:
    print(tf.math.log(-w))
except tf.errors.InvalidArgumentError as error:
    print(type(error).__name__)
"""


@pytest.mark.variation
def test_callbacks_of_the_programs_own_go_on(tmp_path: Path) -> None:
    path = child.write(tmp_path, CHECKED)
    expected = child.plain(path, cwd=tmp_path, env=QUIET)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=QUIET)
    assert recorded.ended == expected
    assert "InvalidArgumentError" in expected.stdout
    assert not recorded.all(InternalError)


@pytest.mark.variation
def test_a_failure_of_ours_is_recorded_and_unnoticed(tmp_path: Path) -> None:
    from whydied.inside.hooks import eager_numerics

    assert eager_numerics.__name__
    places = sorted(place for place in guard.PLACES if place.startswith("eager_numerics."))
    path = child.write(tmp_path, STYLES["function"] + STYLES["manual"])
    expected = child.plain(path, cwd=tmp_path, env=QUIET)
    recorded = child.inside(
        path, cwd=tmp_path, run=tmp_path / "run", env={**QUIET, "WHYDIED_INJECT": ",".join([*places, "eager.note"])}
    )
    assert recorded.ended == expected
    assert expected.status == 0
    # The end is told of by a function that is registered at the first step, which fails before it.
    assert {error.where for error in recorded.all(InternalError)} >= set(places) - {"eager_numerics.end"}


def _run(tmp_path: Path, program: str, **env: str) -> child.Recorded:
    path = child.write(tmp_path, program)
    return child.inside(path, cwd=tmp_path, run=tmp_path / "run", env={**QUIET, **env})


def _lines(directory: Path) -> dict[str, Any]:
    import msgspec

    assert json.loads((directory / "lines.json").read_bytes())
    return msgspec.json.decode((directory / "lines.json").read_bytes(), type=Lines).functions[""]
