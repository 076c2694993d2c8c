"""Captured runs of sessions, by real programs: which run, with what, and that the program does not notice."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from tests import child
from tests.layers import varied

from whydied.inside.numerics import step_file
from whydied.records import Capture, InternalError, LossesSeen, NormsSeen, RecorderLimited, StepCaptured

pytestmark = pytest.mark.tensorflow
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_ENABLE_ONEDNN_OPTS": "0"}
PLACES = ("before", "after", "closing", "exiting")

HEAD = """
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(0)
rng = np.random.default_rng(0)
data = rng.random((320, 4)).astype("float32")
target = data.sum(axis=1, keepdims=True)

def feed(start, size=32):
    return {x: data[start:start + size], y: target[start:start + size]}

def net(x, y):
    w = tf.get_variable("w", [4, 8])
    v = tf.get_variable("v", [8, 1])
    return tf.reduce_mean(tf.square(tf.matmul(tf.nn.relu(tf.matmul(x, w)), v) - y), name="loss")

x = tf.placeholder(tf.float32, [None, 4], name="x")
y = tf.placeholder(tf.float32, [None, 1], name="y")
"""


def _recorded(tmp_path: Path, body: str, options: str = "") -> child.Recorded:
    path = child.write(tmp_path, HEAD + body)
    return child.inside(path, cwd=tmp_path, run=tmp_path / "run", env={**QUIET, "WHYDIED_OPTIONS": options})


def _capture(recorded: child.Recorded) -> tuple[StepCaptured, Capture]:
    assert recorded.all(InternalError) == []
    step = recorded.one(StepCaptured)
    return step, recorded.capture(step)[0]


def test_the_run_that_was_fed_with_nan_is_found_though_no_loss_is_fetched(tmp_path: Path) -> None:
    recorded = _recorded(
        tmp_path,
        """
data[237, 2] = np.nan
train = tf.train.AdamOptimizer(0.01).minimize(net(x, y))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for start in range(0, 320, 32):
        session.run(train, feed(start))
""",
    )
    step, capture = _capture(recorded)
    assert (step.kind, step.step) == ("session", 7)
    assert {suspect.name for suspect in step.suspects if suspect.role == "weight"} >= {"w"}
    first = next(fed for fed in capture.fed if fed.name == "x")
    assert (first.role, first.data_set, first.rows[13]) == ("batch", "data", 237)
    assert first.numbers is not None
    assert first.numbers.nan == 1
    assert {state.name: state.numbers.nonfinite for state in capture.state if state.numbers} == {"w": 0, "v": 0}
    assert all(state.moment in ("start", "earlier") for state in capture.state)
    assert capture.targets[0] == "loss:0"
    lines = (recorded.run / step.directory / "lines.json").read_text()
    assert '"loss"' in lines
    assert "program.py" in lines


@pytest.mark.variation
def test_the_first_and_the_last_losses_of_a_session_are_recorded(tmp_path: Path) -> None:
    recorded = _recorded(
        tmp_path,
        """
loss = net(x, y)
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
told = []
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(7):
        for start in range(0, 320, 32):
            told.append(session.run([train, loss], feed(start))[1])
print(*(repr(float(one)) for one in told), flush=True)
""",
    )
    assert recorded.all(InternalError) == []
    printed = [float(one) for one in recorded.stdout.split()]
    seen = recorded.all(LossesSeen)
    assert seen[-1].losses == printed[:64]
    assert (seen[-1].latest, seen[-1].latest_steps) == (printed[-20:], list(range(50, 70)))
    assert [len(one.losses) for one in seen] == [4, 8, 16, 32, 64, 64]


def test_what_an_iterator_brought_is_captured_too(tmp_path: Path) -> None:
    recorded = _recorded(
        tmp_path,
        """
data[99, 1] = np.inf
batches = tf.data.Dataset.from_tensor_slices((data, target)).batch(32)
loss = net(*tf.data.make_one_shot_iterator(batches).get_next())
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss, tf.train.get_or_create_global_step())
with tf.train.MonitoredTrainingSession() as session:
    while not session.should_stop():
        print(session.run([train, loss])[0])
""",
    )
    step, capture = _capture(recorded)
    assert step.step == 3
    assert [(fed.tensor, fed.shape, fed.data_set) for fed in capture.fed] == [
        ("IteratorGetNext:0", [32, 4], "data"),
        ("IteratorGetNext:1", [32, 1], "target"),
    ]
    assert capture.fed[0].rows[3] == 99
    assert recorded.ended.stdout == "None\n" * 10


@pytest.mark.variation
def test_weights_that_explode_are_those_of_the_start_of_the_run(tmp_path: Path) -> None:
    recorded = _recorded(
        tmp_path,
        """
w = tf.get_variable("w", [4, 1], use_resource=False)
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
train = tf.train.GradientDescentOptimizer(30.0).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for start in range(40):
        session.run([train, loss], feed(start))
""",
    )
    step, capture = _capture(recorded)
    (state,) = capture.state
    assert state.role == "weight"
    assert state.numbers is not None
    assert state.numbers.nonfinite == 0
    assert (state.numbers.norm or 0) > 1e10
    norms = next(norms for norms in recorded.all(NormsSeen) if norms.moment == "capture")
    assert norms.of == "weight"
    assert norms.norms[-1][0] > 1e3 * norms.norms[0][0]
    assert norms.learning_rate == 30.0
    assert step.suspects[0].role == "loss"


@pytest.mark.variation
@pytest.mark.parametrize(
    "loop",
    [
        # A NaN that only the program looks at.
        "session.run([train, loss, tf_ratio], feed(start))",
        # A loss that is NaN in a run that does not train.
        "session.run(train, feed(start)); session.run(bad_loss, feed(start))",
    ],
)
def test_values_that_do_no_harm_are_not_told_of(tmp_path: Path, loop: str) -> None:
    recorded = _recorded(
        tmp_path,
        f"""
loss = net(x, y)
tf_ratio = (y - y) / (x - x)
bad_loss = loss / 0.0 - loss / 0.0
train = tf.train.AdamOptimizer(0.01).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for start in range(0, 320, 32):
        {loop}
""",
    )
    assert recorded.all(StepCaptured) == []
    assert recorded.all(InternalError) == []


MANY = """
import threading
loss = net(x, y)
keep = tf.placeholder_with_default(0.9, [], name="keep")
dropped = tf.nn.dropout(x, rate=1 - keep)
with tf.variable_scope("other"):
    other = net(dropped, y)
first = tf.train.AdamOptimizer(0.01).minimize(loss)
second = tf.train.RMSPropOptimizer(0.01).minimize(other)
batches = tf.data.Dataset.from_tensor_slices((data, target)).shuffle(50, seed=3).repeat().batch(16)
with tf.variable_scope("third"):
    third_loss = net(*tf.data.make_one_shot_iterator(batches).get_next())
third = tf.train.GradientDescentOptimizer(0.01).minimize(third_loss)
init = tf.global_variables_initializer()
graph = tf.get_default_graph()
graph.finalize()
before = graph.as_graph_def().SerializeToString(deterministic=True)
session = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1))
session.run(init)
for start in range(0, 320, 16):
    session.run(first, feed(start, 16))
    print(session.run({"other": other, "step": second}, {**feed(start, 16), keep: 0.5}))
    print(session.run([third, third_loss]), session.run(third_loss))
threads = [threading.Thread(target=session.run, args=(first, feed(n * 10, 10))) for n in range(4)]
for thread in threads:
    thread.start()
    thread.join()
for value in session.run(tf.trainable_variables()):
    print(value.tobytes().hex())
print(graph.as_graph_def().SerializeToString(deterministic=True) == before)
try:
    session.run(first, {x: data[:, :2]})
except ValueError as error:
    import traceback
    traceback.print_exc()
handle = session.partial_run_setup([loss], [x, y])
print(session.partial_run(handle, loss, feed(0)))
run = session.make_callable([loss], [x, y])
print(run(data, target))
session.close()
"""


def test_weights_output_and_graph_are_as_without_us(tmp_path: Path) -> None:
    path = child.write(tmp_path, HEAD + MANY)
    plain = child.plain(path, cwd=tmp_path, env=QUIET)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env=QUIET)
    assert "True" in plain.stdout
    assert recorded.ended.stdout == plain.stdout
    assert _quiet(recorded.ended.stderr) == _quiet(plain.stderr)
    assert recorded.all(InternalError) == []
    assert recorded.all(StepCaptured) == []
    assert [one for one in recorded.all(RecorderLimited) if "session" in one.what] == []


@pytest.mark.parametrize("place", varied(PLACES, "after"))
def test_a_failure_of_ours_changes_nothing(tmp_path: Path, place: str) -> None:
    name = f"session_numerics.{place}"
    body = MANY if place != "exiting" else MANY.replace("session.close()", "")
    path = child.write(tmp_path, HEAD + body)
    plain = child.plain(path, cwd=tmp_path, env=QUIET)
    recorded = child.inside(path, cwd=tmp_path, run=tmp_path / "run", env={**QUIET, "WHYDIED_INJECT": name})
    assert recorded.ended.stdout == plain.stdout
    assert {error.where for error in recorded.all(InternalError)} == {name}


@pytest.mark.variation
def test_the_program_can_be_stopped_at_the_bad_run(tmp_path: Path) -> None:
    body = """
loss = net(x, y)
train = tf.train.AdamOptimizer(0.01).minimize(loss)
data[40] = np.nan
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for start in range(0, 320, 32):
        print(start, flush=True)
        session.run([train, loss], feed(start))
"""
    recorded = _recorded(tmp_path, body, "stop-on-nan")
    assert recorded.ended.status == 1
    assert recorded.ended.stdout == "0\n32\n"
    assert "FloatingPointError: whydied stopped the program" in recorded.ended.stderr
    # Python 3.10 keeps the traceback of a bare raise.
    assert "whydied/inside" not in recorded.ended.stderr.replace(str(recorded.run), "") or sys.version_info < (3, 11)
    assert recorded.one(StepCaptured).stopped


@pytest.mark.variation
def test_nothing_is_watched_where_that_was_asked_for(tmp_path: Path) -> None:
    body = """
train = tf.train.AdamOptimizer(0.01).minimize(net(x, y))
data[40] = np.nan
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(train, feed(32))
"""
    recorded = _recorded(tmp_path, body, "no-numerics")
    assert recorded.all(StepCaptured) == []
    assert not (recorded.run / step_file.DIRECTORY).exists()


def _quiet(stderr: str) -> str:
    lines = [line for line in stderr.splitlines() if "port.cc" not in line and "absl::InitializeLog" not in line]
    return re.sub("0x[0-9a-f]+", "0x", "\n".join(lines))
