"""What a report advises, tried on the real program in the copy of itself that it left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

FIT = """\
import numpy as np
import tensorflow as tf

x = np.random.rand(64, 10).astype("float32")
y = np.random.randint(0, 3, 64)
model = tf.keras.Sequential([
    tf.keras.layers.Dense(512, activation="relu"),
    tf.keras.layers.Dense(1, activation="softmax"),
])
model.compile("adam", "categorical_crossentropy")
rows = tf.data.Dataset.from_tensor_slices(x).shuffle(64).map(lambda row: row * 2, num_parallel_calls=2).batch(16)
print(sum(int(tf.size(part)) for part in rows))
model.fit(x, tf.one_hot(y, 3), epochs=2, verbose=0)
"""
SESSION = """\
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, 6])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable("w", [6, 1])
train = tf.train.AdamOptimizer().minimize(tf.reduce_mean(tf.square(tf.matmul(x, w) - y)))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(train, {x: np.ones((40, 6)), y: np.ones(40)})
"""
HALF_WAY = """\
import numpy as np
import tensorflow as tf


def rate(epoch, now):
    if epoch < 2:
        return 0.001
    return 0.01 / (1.0 + tf.exp(float(epoch)))


x = np.random.rand(480, 3).astype("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(16, activation="relu"), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
both = (x[:120], x[:120, :1])
schedule = tf.keras.callbacks.LearningRateScheduler(rate)
model.fit(x, x[:, :1], epochs=4, batch_size=24, verbose=0, validation_data=both, callbacks=[schedule])
"""
PLAIN = """\
import sizes
from pathlib import Path

print("as always")
known = {"rate": 0.1}
WRITES
print(known["ratee"] * sizes.WIDTH)
AFTER
"""

TWO = """\
import numpy as np
import tensorflow as tf

inputs = tf.keras.Input((4, 4))
hidden = tf.keras.layers.Flatten(inputs)
outputs = tf.keras.layers.Dense(1, activation="softmax")(hidden)
model = tf.keras.Model(inputs, outputs)
model.compile("adam", "categorical_crossentropy")
model.fit(np.ones((8, 4, 4)), np.eye(3)[[0, 1, 2, 0, 1, 2, 0, 1]], verbose=0)
"""
MADE = """\
import numpy as np
import tensorflow as tf


def batch(rows):
    labels = np.arange(rows) % 3
    return np.ones((rows, 4), "float32"), labels


model = tf.keras.Sequential([tf.keras.layers.Dense(3, activation="softmax")])
loss = tf.keras.losses.CategoricalCrossentropy()
x, y = batch(6)
print(float(loss(y, model(x))))
more, other = batch(9)
print(float(loss(other, model(more))))
"""
IN_VAIN = """\
known = {"rate": 0.1}
wanted = list(known)
wanted.append("ratee")
for one in wanted:
    print(known[one])
"""


def run(directory: Path, text: str, *options: str) -> tuple[dict[str, Any], subprocess.CompletedProcess[str]]:
    """The report, and what the program gave; none of its processes is left."""
    (directory / "program.py").write_text(text)
    argv = [sys.executable, "-m", "whydied", "run", "--quiet", "--runs", str(directory / "runs"), *options]
    done = subprocess.run(
        [*argv, "--json", str(directory / "report.json"), "program.py"],
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert _left_over(directory) == []
    report = json.loads((directory / "report.json").read_text())
    assert report["internal_errors"] == []
    return report, done


def _left_over(directory: Path) -> list[int]:
    for _ in range(100):
        found = [one.pid for one in psutil.process_iter(["cmdline"]) if _is_of(one, directory)]
        if not found:
            return []
        time.sleep(0.1)
    return found


def _is_of(process: psutil.Process, directory: Path) -> bool:
    try:
        return process.info["cmdline"][-1:] == ["program.py"] and process.cwd() == str(directory)
    except (psutil.Error, TypeError):
        return False


def test_the_advice_on_a_training_is_tried_with_new_threads_of_tensorflow(tmp_path: Path) -> None:
    pytest.importorskip("tensorflow")
    report, done = run(tmp_path, FIT)
    assert (done.returncode, done.stdout) == (1, "640\n")
    fix = report["fixes"][0]
    assert (fix["verdict"], fix["before"]["outcome"], fix["after"]["outcome"]) == ("proved", "failed", "finished")
    assert '+    tf.keras.layers.Dense(3, activation="softmax"),' in fix["patch"]
    assert not (tmp_path / "runs" / report["run"]["id"] / "copy").exists()


def test_a_training_that_was_half_way_through_leaves_kernels_that_are_not_freed(tmp_path: Path) -> None:
    pytest.importorskip("tensorflow")
    report, _ = run(tmp_path, HALF_WAY)
    assert [(one["verdict"], one["after"]["outcome"]) for one in report["fixes"][:1]] == [("proved", "finished")]


def test_a_session_of_a_copy_has_threads_of_its_own(tmp_path: Path) -> None:
    pytest.importorskip("tensorflow")
    report, _ = run(tmp_path, SESSION)
    assert [(one["verdict"], one["after"]["outcome"]) for one in report["fixes"][:1]] == [("proved", "finished")]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "sizes.py").write_text("WIDTH = 3\n")
    return tmp_path


def test_a_change_that_helps_is_proved_and_nothing_else_happens(project: Path) -> None:
    report, done = run(project, PLAIN.replace("WRITES", "").replace("AFTER", ""))
    assert (done.returncode, done.stdout) == (1, "as always\n")
    assert [(one["verdict"], one["after"]["outcome"]) for one in report["fixes"]] == [("proved", "finished")]


def test_what_a_trial_writes_is_gone_with_it(project: Path) -> None:
    writes = 'open("seen", "a").write("once"); open(__file__, "a").write("# more\\n")'
    after = 'Path("made").write_text("x"); assert Path("made").read_text() == "x"'
    text = PLAIN.replace("WRITES", writes).replace("AFTER", after)
    report, _ = run(project, text)
    assert (project / "seen").read_text() == "once"
    assert (project / "program.py").read_text() == f"{text}# more\n"
    assert not (project / "made").exists()
    assert [one["verdict"] for one in report["fixes"]] == ["proved" if _has_layers() else "untested"]


def _has_layers() -> bool:
    """Whether this user may have mounts of its own."""
    layers = "from whydied.linux.private_files import keep_private as keep; import sys; keep([], sys.argv[1])"
    with tempfile.TemporaryDirectory() as scratch:
        return subprocess.run([sys.executable, "-c", layers, scratch], capture_output=True, check=False).returncode == 0


def test_a_trial_connects_nowhere(project: Path) -> None:
    after = "import socket; socket.create_connection(('127.0.0.1', 9))"
    report, _ = run(project, PLAIN.replace("WRITES", "").replace("AFTER", after))
    assert [(one["verdict"], one["after"]["words"]) for one in report["fixes"]] == [
        ("proved", "went on to line 8, which connects or starts something")
    ]


def test_advice_that_does_not_help_is_not_given(project: Path) -> None:
    report, _ = run(project, IN_VAIN)
    assert all(one["verdict"] != "untested" for one in report["fixes"])
    assert report["cause"]["advice"] == [] or report["fixes"][0]["verdict"] == "proved"


def test_nothing_is_tried_where_it_is_not_wanted(project: Path) -> None:
    report, _ = run(project, PLAIN.replace("WRITES", "").replace("AFTER", ""), "--no-trials")
    assert [one["verdict"] for one in report["fixes"]] == ["untested"]
    assert os.listdir(project / "runs" / report["run"]["id"]).count("checks.json") == 0


def test_one_failure_after_the_other_is_mended(tmp_path: Path) -> None:
    pytest.importorskip("tensorflow")
    report, _ = run(tmp_path, TWO)
    fix = report["fixes"][0]
    assert (fix["verdict"], fix["after"]["outcome"], fix["kind"]) == ("proved", "finished", "several")
    assert "+hidden = tf.keras.layers.Flatten()(inputs)" in fix["patch"]
    assert '+outputs = tf.keras.layers.Dense(3, activation="softmax")(hidden)' in fix["patch"]


@pytest.mark.variation
def test_a_value_that_is_used_again_is_changed_where_it_is_made(tmp_path: Path) -> None:
    pytest.importorskip("tensorflow")
    report, _ = run(tmp_path, MADE)
    fix = report["fixes"][0]
    assert (fix["verdict"], fix["after"]["outcome"]) == ("proved", "finished")
    assert "+    labels = tf.keras.utils.to_categorical(np.arange(rows) % 3, 3)" in fix["patch"]
    assert report["cause"]["location"]["line"] == 6


def test_a_copy_is_no_process_of_the_run(project: Path) -> None:
    report, _ = run(project, PLAIN.replace("WRITES", "").replace("AFTER", ""))
    streams = project / "runs" / report["run"]["id"] / "streams"
    assert len({one.name.split(".")[0] for one in streams.glob("process-*")}) == 1
