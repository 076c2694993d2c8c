"""Watched tensors, by real programs: what is logged, what TensorBoard gets, and that the program does not notice."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests import child
from tests.conftest import Completed

from whydied.places import RunDirectory
from whydied.read.recording import Recording, load
from whydied.records import InternalError, RecorderLimited, TensorLogged

pytestmark = pytest.mark.tensorflow
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_ENABLE_ONEDNN_OPTS": "0"}

PROGRAM = """
import sys
import numpy as np
import keras
import tensorflow as tf
import whydied

keras.utils.set_random_seed(1)
model = keras.Sequential([
    keras.Input((4,)),
    keras.layers.Dense(3, name="dense_a", activation="tanh"),
    keras.layers.Dropout(0.3),
    keras.layers.Dense(1, name="head"),
])
x = np.random.default_rng(1).normal(size=(160, 4)).astype("float32")
y = x.sum(1, keepdims=True)
writer = tf.summary.create_file_writer("own")
tf.summary.experimental.set_step(77)
with writer.as_default():
    model.compile("adam", "mse", jit_compile="xla" in sys.argv, run_eagerly="eager" in sys.argv)
    model.fit(x, y, batch_size=16, epochs=2, verbose=0)
    print(tf.summary.experimental.get_step().numpy() if hasattr(tf.summary.experimental.get_step(), "numpy") else 77)
print(b"".join(weight.tobytes() for weight in model.get_weights()).hex())

@tf.function
def doubled(value):
    return whydied.log("doubled", value * 2) + 1

for turn in range(12):
    doubled(tf.fill([3], float(turn)))
for turn in range(12):
    whydied.log("plain", np.array([turn, np.nan, np.inf]))
whydied.log("half", tf.constant([1.0, 2.0], tf.bfloat16))
whydied.log("words", np.array(["a"]))
whydied.log("nothing", np.zeros(0))
tf.saved_model.save(model, "saved")
loaded = tf.saved_model.load("saved")
print(loaded.signatures["serving_default"](tf.constant(x[:2]))["output_0"].shape)
"""


def watched(whydied: Callable[..., Completed], tmp_path: Path, *words: str | Path) -> tuple[Completed, Recording]:
    runs = tmp_path / "watched"
    done = whydied("run", "--runs", runs, "--no-numerics", "--watch", "dense*", "--watch-every", "5", *words)
    (directory,) = runs.iterdir()
    return done, load(RunDirectory(directory))


def logged(recording: Recording) -> dict[str, list[TensorLogged]]:
    found: dict[str, list[TensorLogged]] = {}
    for process in recording.processes:
        for one in process.all(TensorLogged):
            found.setdefault(one.name, []).append(one)
    return found


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)
    return child.write(tmp_path, PROGRAM)


def test_watched_tensors_are_logged_and_the_program_does_not_notice(
    program: Path, whydied: Callable[..., Completed], tmp_path: Path
) -> None:
    expected = child.plain(program, cwd=tmp_path)
    assert expected.status == 0, expected.stderr
    done, recording = watched(whydied, tmp_path, program)
    assert (done.returncode, done.stdout.decode()) == (expected.status, expected.stdout), done.stderr
    found = logged(recording)
    assert {name: [one.step for one in series] for name, series in found.items() if "dense" in name} == {
        name: [1, 5, 10, 15, 20]
        for name in (
            "dense_a/output",
            "dense_a/kernel",
            "dense_a/bias",
            "dense_a/kernel/gradient",
            "dense_a/bias/gradient",
        )
    }
    assert {one.role for one in found["dense_a/kernel/gradient"]} == {"gradient"}
    output = found["dense_a/output"][0]
    assert output.numbers.shape == [16, 3]
    assert sum(output.counts) == 48
    assert len(output.edges) == len(output.counts) + 1
    assert [one.numbers.mean for one in found["doubled"]] == [0.0, 8.0, 18.0]
    last = found["plain"][-1]
    assert (last.step, last.numbers.nan, last.numbers.plus_infinity, sum(last.counts)) == (10, 1, 1, 1)
    assert found["half"][0].numbers.mean == 1.5
    assert found["nothing"][0].counts == []
    assert "words" not in found
    assert [error for process in recording.processes for error in process.all(InternalError)] == []
    assert_events(Path(recording.directory.path) / "tensorboard", found)
    shown = whydied("show", "--runs", tmp_path / "watched").stdout.decode()
    assert "dense_a/kernel [4, 3] at use 20" in shown
    own = [path.stat().st_size for path in (tmp_path / "own").iterdir()]
    assert len(set(own)) == 1, "the program's own event files got something"


def assert_events(directory: Path, found: dict[str, list[TensorLogged]]) -> None:
    """The file as TensorFlow reads it has a histogram and statistics for each record."""
    (path,) = directory.iterdir()
    assert os.stat(directory).st_mode & 0o077 == 0
    from tests.integration.event_reader import events

    seen: dict[str, list[int]] = {}
    for step, tags in events(path):
        for tag in tags:
            seen.setdefault(tag, []).append(step)
    for name, series in found.items():
        assert seen[f"{name}/nonfinite"] == [one.step for one in series]
        assert seen.get(name, []) == [one.step for one in series if one.counts]


@pytest.mark.variation
@pytest.mark.parametrize("way", ["eager", "xla"])
def test_eager_steps_are_logged_and_compiled_ones_are_left_alone(
    way: str, program: Path, whydied: Callable[..., Completed], tmp_path: Path
) -> None:
    expected = child.plain(program, way, cwd=tmp_path)
    into = tmp_path / "events"
    done, recording = watched(whydied, tmp_path, "--watch-dir", into, program, way)
    assert (done.returncode, done.stdout.decode()) == (expected.status, expected.stdout), done.stderr
    steps = [one.step for one in logged(recording).get("dense_a/kernel/gradient", [])]
    limits = {limit.what for process in recording.processes for limit in process.all(RecorderLimited)}
    assert steps == ([1, 5, 10, 15, 20] if way == "eager" else [])
    assert ("watched tensors under XLA" in limits) == (way == "xla")
    assert len(list(into.iterdir())) == 1


@pytest.mark.variation
def test_a_failure_of_ours_is_unnoticed(program: Path, tmp_path: Path) -> None:
    expected = child.plain(program, cwd=tmp_path)
    run = tmp_path / "run"
    run.mkdir()
    (run / "wishes.json").write_text(json.dumps({"watch": ["dense*"], "watch_every": 5}))
    places = {"watched.applied", "tensor_log.emit", "tensor_log.tick"}
    env: dict[str, Any] = {"WHYDIED_INJECT": ",".join(places), "WHYDIED_OPTIONS": "no-numerics"}
    recorded = child.inside(program, cwd=tmp_path, run=run, env=env)
    assert (recorded.ended.status, recorded.ended.stdout) == (expected.status, expected.stdout)
    assert {error.where for error in recorded.all(InternalError)} == places


@pytest.mark.variation
def test_without_a_recording_nothing_is_written(program: Path, tmp_path: Path) -> None:
    assert child.plain(program, cwd=tmp_path).status == 0
    assert {path.name for path in tmp_path.iterdir()} == {"program.py", "own", "saved"}
