"""Forms tried in a copy of a dying program: the program does not notice, and the report has the one that is taken."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests import child
from tests.session import whydied_run

from whydied.records import FormsTried, GraphTried, InternalError, ProcessBegan

PROGRAM = """\
import atexit, signal, warnings
import numpy as np

warnings.simplefilter("always")
signal.signal(signal.SIGCHLD, lambda number, frame: print("a child ended"))
atexit.register(lambda: print("last words", len(scores)))


class Scores:
    def __init__(self):
        self.values = {"first": 0.5}

    def __len__(self):
        return len(self.values)


print("begins", end="")
scores = Scores()
print(scores["first"])
"""

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="no positions of expressions before 3.11")


def test_the_program_does_not_notice(tmp_path: Path) -> None:
    program = child.write(tmp_path, PROGRAM)
    plain = child.plain(sys.executable, program, cwd=tmp_path)
    recorded = child.inside(sys.executable, program, cwd=tmp_path, run=tmp_path / "run")
    assert recorded.ended == plain
    assert [one.now for one in recorded.one(FormsTried).taken] == ["scores.values"]
    assert recorded.all(InternalError) == []
    assert len(recorded.all(ProcessBegan)) == 1


def test_the_report_has_the_form_that_is_taken(tmp_path: Path) -> None:
    program = child.write(tmp_path, PROGRAM)
    report = tmp_path / "report.json"
    command = whydied_run(tmp_path / "runs", "--quiet", "--json", report, program)
    assert subprocess.run(command, cwd=tmp_path, check=False, capture_output=True).returncode == 1
    found = json.loads(report.read_text("utf-8"))
    assert found["cause"]["advice"] == ["Write `scores.values` instead of `scores`."]
    assert '+print(scores.values["first"])' in found["fixes"][0]["patch"]


STEP = """\
import numpy as np
import tensorflow as tf

x, y = np.ones((64, 8)), np.zeros(64, "float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=[tf.keras.metrics.F1Score()])
model.fit(x, y, verbose=0)
"""


def test_the_step_of_a_keras_call_is_traced_with_other_targets(tmp_path: Path) -> None:
    pytest.importorskip("tensorflow")
    program = child.write(tmp_path, STEP)
    recorded = child.inside(sys.executable, program, cwd=tmp_path, run=tmp_path / "run")
    taken = recorded.one(FormsTried).taken
    assert [(one.part, one.was, one.now) for one in taken] == [("y", "y", "y[..., None]")]
    assert recorded.all(InternalError) == []


SPREAD = """\
import numpy as np
import tensorflow as tf

data = {"y": [0, 1] * 8, "x": [[float(n), 1.0] for n in range(16)]}
model = tf.keras.Sequential([tf.keras.layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(CALL, verbose=0)
"""


@pytest.mark.parametrize(
    ("call", "was", "now"),
    [
        ("**data", "x, y", "np.array(x), np.array(y)"),
        (
            'y=data["y"], x=data["x"]',
            'data["y"], x=data["x"]',
            'np.array(data["y"]), x=np.array(data["x"])',
        ),
    ],
)
def test_the_containers_of_data_are_tried_however_they_are_passed(
    tmp_path: Path, call: str, was: str, now: str
) -> None:
    pytest.importorskip("tensorflow")
    program = child.write(tmp_path, SPREAD.replace("CALL", call))
    recorded = child.inside(sys.executable, program, cwd=tmp_path, run=tmp_path / "run")
    assert [(one.part, one.was, one.now) for one in recorded.one(FormsTried).taken] == [("data", was, now)]
    assert recorded.all(InternalError) == []


GRAPH = """\
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [4, 6])
w = tf.get_variable("w", [6, 2])
y = tf.matmul(tf.reshape(x, TARGET), w)
y = tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.zeros_like(y), logits=y)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(y, {x: np.ones((5, COLUMNS))})
"""


@pytest.mark.parametrize(
    ("columns", "target", "fits", "resized", "at"),
    [
        (6, "[4, 6]", True, [([4, 6], [-1, 6])], None),
        (6, "[4, -1]", True, [([4, -1], [-1, 6])], None),
        (8, "[4, 6]", False, [], "Reshape"),
    ],
)
def test_the_graph_of_a_session_is_built_with_what_was_fed(
    tmp_path: Path, columns: int, target: str, fits: bool, resized: list[tuple[list[int], list[int]]], at: str | None
) -> None:
    pytest.importorskip("tensorflow")
    program = child.write(tmp_path, GRAPH.replace("COLUMNS", str(columns)).replace("TARGET", target))
    recorded = child.inside(sys.executable, program, cwd=tmp_path, run=tmp_path / "run")
    tried = recorded.one(GraphTried)
    assert (tried.fits, [(one.was, one.now) for one in tried.resized]) == (fits, resized)
    assert (tried.at.name if tried.at is not None else None) == at
    assert recorded.all(InternalError) == []
