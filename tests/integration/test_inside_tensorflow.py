"""The hooks into TensorFlow and Keras, by real programs: what they record, and that the program does not notice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests import child

from whydied.inside.guest import guard
from whydied.records import (
    CallBegan,
    CallEnded,
    EpochBegan,
    ExceptionRaised,
    FunctionTraced,
    InternalError,
    ModelSeen,
    ModuleImported,
    RecorderLimited,
    SessionRan,
    StepBegan,
    VersionsSeen,
)

pytestmark = pytest.mark.tensorflow
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_ENABLE_ONEDNN_OPTS": "0"}

PROGRAM = """
import traceback
import numpy as np
import keras
import tensorflow as tf

keras.utils.set_random_seed(1)
x = np.ones((64, 4), "float32")
y = np.ones((64, 1), "float32")
model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(1)], name="net")
model.compile("sgd", "mse")
history = model.fit(
    x,
    y,
    batch_size=16,
    epochs=2,
    verbose=2,
    validation_data=(x[:16], y[:16]),
)
print(model.predict(x[:2], verbose=0))
print(model.train_on_batch(x, y), model.test_on_batch(x, y), model.predict_on_batch(x).shape)
print(model.evaluate(tf.data.Dataset.from_tensor_slices((x, y)).batch(8), verbose=0))
try:
    model.fit(x, y[:10], verbose=0)
except Exception:
    print(traceback.format_exc())
try:
    model.fit(x, verbose=0, callbacks=[3])
except Exception:
    print(traceback.format_exc())
keras.config.disable_traceback_filtering()
try:
    model.predict(x[:, :2], verbose=0)
except Exception:
    print(traceback.format_exc())
keras.config.enable_traceback_filtering()

class Loud(keras.callbacks.Callback):
    def on_train_batch_begin(self, batch, logs=None):
        raise RuntimeError("loud")

try:
    model.fit(x, y, verbose=0, callbacks=[Loud()])
except RuntimeError:
    print(traceback.format_exc())

optimizer = keras.optimizers.SGD(0.1)
weight = tf.Variable(2.0)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = weight * weight
    optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
print(weight.numpy())

@tf.function
def step(value):
    with tf.GradientTape() as tape:
        loss = weight * weight * tf.reduce_sum(value)
    optimizer.apply([tape.gradient(loss, weight)], [weight])
    return loss

for size in (2, 3, 3):
    print(step(tf.ones(size)).numpy())

@tf.function
def wrong(value):
    return tf.matmul(value, value)

try:
    wrong(tf.ones((2, 3)))
except Exception:
    print(traceback.format_exc())

try:
    tf.py_function(lambda value: 1 / 0, [1.0], tf.float32)
except Exception:
    print(traceback.format_exc())

graph = tf.Graph()
with graph.as_default():
    place = tf.compat.v1.placeholder(tf.float32, (None, 2), name="place")
    total = tf.reduce_sum(place, name="total")
    with tf.compat.v1.Session() as session:
        for _ in range(3):
            print(session.run([total], feed_dict={place: [[1.0, 2.0]]}))
        try:
            session.run("nothing:0")
        except Exception:
            print(traceback.format_exc())

words = keras.Sequential([keras.layers.Embedding(10, 3), keras.layers.Flatten(), keras.layers.Dense(1)])
words.compile("sgd", "mse")
words.fit(np.full((8, 2), 99), np.zeros((8, 1)), verbose=0)
"""


def _line(text: str) -> int:
    return next(n for n, line in enumerate(PROGRAM.lstrip("\n").splitlines(), 1) if text in line)


def _comparable(text: str) -> str:
    text = re.sub(r"\d+(\.\d+)?m?s/step|- \d+m?s", "", text)
    text = re.sub(r"__autograph_generated_file\w+", "", text)
    text = re.sub(r"^[IWE]\d{4} [\d:.]+ +\d+", "LOG", text, flags=re.MULTILINE)
    return re.sub(r"^\d{4}-\d\d-\d\d [\d:.]+", "LOG", text, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[child.Ended, child.Recorded]:
    directory = tmp_path_factory.mktemp("tensorflow")
    path = child.write(directory, PROGRAM)
    expected = child.plain(path, cwd=directory, env=QUIET, timeout_s=280)
    return expected, child.inside(path, cwd=directory, run=directory / "run", env=QUIET, timeout_s=280)


def test_output_status_and_tracebacks_are_the_same(both: tuple[child.Ended, child.Recorded]) -> None:
    expected, recorded = both
    assert recorded.ended.status == expected.status == 1
    assert _comparable(recorded.ended.stdout) == _comparable(expected.stdout)
    assert _comparable(recorded.ended.stderr) == _comparable(expected.stderr)
    assert expected.stdout.count("Traceback (most recent call last)") >= 6
    assert recorded.all(InternalError) == []
    assert recorded.all(RecorderLimited) == []


def test_calls(both: tuple[child.Ended, child.Recorded]) -> None:
    recorded = both[1]
    calls = recorded.all(CallBegan)
    first = calls[0]
    assert (first.kind, first.model, first.parent_call) == ("fit", "net", None)
    frame = first.frames[-1]
    assert (frame.line, frame.end_line) == (_line("history = model.fit("), _line("validation_data") + 1)
    assert first.arguments["batch_size"] == 16
    assert first.arguments["epochs"] == 2
    assert first.arguments["x"] == {"type": "numpy.ndarray", "shape": [64, 4], "dtype": "float32", "bytes": 1024}
    assert [call.parent_call for call in calls[1:3]] == [first.call, first.call]
    kinds = [call.kind for call in calls]
    assert kinds[1:3] == ["evaluate", "evaluate"]
    assert {"predict", "train_on_batch", "test_on_batch", "predict_on_batch"} <= set(kinds)
    spec = next(call for call in calls if "element_spec" in call.arguments.get("x", {}))
    assert "shape=(None, 4)" in spec.arguments["x"]["element_spec"]
    ended = {record.call: record.raised for record in recorded.all(CallEnded)}
    assert set(ended) == {call.call for call in calls}
    assert ended[first.call] is None
    assert ended[calls[-1].call] == "InvalidArgumentError"


def test_models(both: tuple[child.Ended, child.Recorded]) -> None:
    first = both[1].all(ModelSeen)[0]
    assert (first.model, first.call) == ("net", both[1].all(CallBegan)[0].call)
    last = first.layers[-1]
    assert (last.type, last.shape) == ("Dense", [None, 1])
    assert all(layer.parameters is not None for layer in first.layers)
    assert (first.optimizer, first.loss) == ("SGD", "mse")


def test_epochs_and_steps(both: tuple[child.Ended, child.Recorded]) -> None:
    recorded = both[1]
    first = recorded.all(CallBegan)[0].call
    assert [epoch.epoch for epoch in recorded.all(EpochBegan) if epoch.call == first] == [0, 1]
    steps = [step for step in recorded.all(StepBegan) if step.call == first]
    assert [(step.unit, step.epoch, step.step) for step in steps] == [
        ("train", epoch, step) for epoch in (0, 1) for step in range(4)
    ]
    units = {step.unit for step in recorded.all(StepBegan)}
    assert units == {"train", "test", "predict", "apply", "function", "session"}


def test_traces_and_sessions(both: tuple[child.Ended, child.Recorded]) -> None:
    recorded = both[1]
    traces = [trace for trace in recorded.all(FunctionTraced) if trace.name == "step"]
    # The first call traces twice: once to create variables.
    assert [trace.traces for trace in traces] == list(range(1, len(traces) + 1))
    assert {trace.line for trace in traces} <= {_line("def step"), _line("def step") - 1}
    assert traces[-1].frames[-1].line == _line("print(step(")
    assert any("shape=(3,)" in part for part in traces[-1].signature)
    ran = recorded.all(SessionRan)[0]
    assert ran.feeds == {"place:0": [1]} or ran.feeds == {"place:0": [1, 2]}
    assert ran.operations


def test_imports_and_versions(both: tuple[child.Ended, child.Recorded]) -> None:
    recorded = both[1]
    import importlib.metadata

    names = {record.name: record.version for record in recorded.all(ModuleImported)}
    assert names["keras"] == importlib.metadata.version("keras")
    versions = recorded.all(VersionsSeen)[-1].versions
    assert {"python", "platform", "tensorflow", "keras", "numpy", "protobuf"} <= set(versions)


def test_the_death(both: tuple[child.Ended, child.Recorded]) -> None:
    raised = both[1].one(ExceptionRaised).chain[0]
    assert raised.type == "InvalidArgumentError"
    users = [frame for frame in raised.frames if frame.user]
    assert users[-1].line == _line("words.fit(")


def test_a_line_inside_a_traced_function_is_found(tmp_path: Path) -> None:
    path = child.write(
        tmp_path,
        """
        import tensorflow as tf
        @tf.function
        def step(a, b):
            c = tf.matmul(a, b)
            return c
        step(tf.ones((2, 3)), tf.ones((4, 5)))
        """,
    )
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=QUIET)
    frame = recorded.one(ExceptionRaised).chain[0].frames[-1]
    assert (frame.file, frame.line, frame.user) == (str(path), 4, True)


def test_every_hook_may_fail(tmp_path: Path, both: tuple[child.Ended, child.Recorded]) -> None:
    import whydied.inside.hooks
    from whydied.inside.errors import callback_errors, picture_files, refused_data
    from whydied.inside.errors.framework import error_facts
    from whydied.inside.hooks import error_filters, functions, keras_calls, optimizer, sessions

    assert all((whydied.inside.hooks, functions, keras_calls, optimizer, sessions))
    assert all((callback_errors, refused_data, error_facts, error_filters, picture_files))
    prefixes = ("functions.", "keras_calls.", "keras_steps.", "optimizer.", "sessions.")
    prefixes += ("called_back.", "data_facts.", "error_facts.", "error_filters.", "picture_files.")
    places = sorted(place for place in guard.PLACES if place.startswith(prefixes))
    path = child.write(tmp_path, PROGRAM)
    env = {**QUIET, "WHYDIED_INJECT": ",".join(places)}
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=env, timeout_s=280)
    expected = both[0]
    assert recorded.ended.status == expected.status
    plain = str(both[1].run.parent)
    assert _comparable(recorded.ended.stdout) == _comparable(expected.stdout.replace(plain, str(tmp_path)))
    assert _comparable(recorded.ended.stderr) == _comparable(expected.stderr.replace(plain, str(tmp_path)))
    # These are called by places that fail before.
    unreached = {"keras_calls.left", "functions.traced", "error_facts.look", "optimizer.end"}
    assert {error.where for error in recorded.all(InternalError)} >= set(places) - unreached


@pytest.mark.variation
def test_the_look_around_an_exception_may_fail(tmp_path: Path) -> None:
    path = child.write(tmp_path, "import tensorflow as tf\ntf.ones((2, 3)) + tf.ones((4, 5))\n")
    env = {**QUIET, "WHYDIED_INJECT": "error_facts.look"}
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=env)
    assert recorded.ended.status == 1
    assert "Incompatible shapes" in recorded.ended.stderr
    assert [error.where for error in recorded.all(InternalError)] == ["error_facts.look"]
    assert recorded.one(ExceptionRaised).chain[0].type == "InvalidArgumentError"
