"""Assertions on tensors, by real programs: what they raise in each kind of code, what is recorded, what they leave
alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests import child
from tests.conftest import Completed
from tests.layers import varied

from whydied.records import AssertionPlaced, InternalError

pytestmark = pytest.mark.tensorflow
SCENARIOS = Path(__file__).with_name("assert_scenarios.py")
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_ENABLE_ONEDNN_OPTS": "0"}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What each case of the scenarios raised or gave, without a recording."""
    ended = child.plain(SCENARIOS, cwd=tmp_path_factory.mktemp("plain"), env=QUIET, timeout_s=280)
    assert ended.status == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def line(text: str) -> int:
    found = [number for number, source in enumerate(SCENARIOS.read_text().splitlines(), 1) if text in source]
    assert len(found) == 1, text
    return found[0]


# Where, culprit, actual, expected, source.
MESSAGES = {
    "eager": (
        f"assert_scenarios.py:{line('return whydied.assert_finite(logits)')} in eager: assert_finite: `logits` "
        "(float32, shape (2, 2)) has 2 of 4 values not finite (1 NaN, 1 infinite) in 2 rows, 0, 1; "
        "first: [0, 1] = -inf, [1, 1] = nan; expected every value finite; last assigned above, at "
        f"assert_scenarios.py:{line('logits = ')}: logits = tf.math.log(tf.constant([[1.0, 0.0], [2.0, -1.0]]))"
    ),
    "array": "`np.array(BAD)` (float64, shape (3, 2)) has 2 of 6 values not finite (1 NaN, 1 infinite) in 2 rows",
    "named": "assert_finite: `pixels` (float64",
    "list": "`[1.0, NAN]` (float64, shape (2)) has 1 of 2 values not finite (1 NaN); first: [1] = nan;",
    "scalar": "(float32, shape ()) has 1 of 1 values not finite (1 NaN); first: nan;",
    "complex": "has 1 of 2 values not finite",
    "bfloat16": "(bfloat16, shape (3)) has 1 of 3 values outside; first: [0] = 1; expected every value at least 2",
    "range": "has 1 of 4 values outside in 1 row, 1; first: [1, 0] = 7; expected every value from 0 to 5",
    "range of NaN": "has 1 of 2 values outside (1 NaN); first: [1] = nan; expected every value at most 5",
    "shape": "(float64) has shape (3, 27, 28, 1): axis 1 is 27, not 28; expected shape (batch 28 28 1)",
    "bytes": "(float64) has 2.29 MiB, shape (300, 1000); expected at most 1.00 MiB",
    "dims": "(float64) has 3 axes, shape (2, 2, 2); expected at most 2 axes",
    "axes": "(float64) has 30 along axis 1, shape (9, 30); expected no axis longer than (None, 20)",
    "ragged": "(float32, shape (3)) has 1 of 3 values not finite",
    "sparse": "(float32, shape (1)) has 1 of 1 values outside; first: [0] = 7.0",
    "sparse shape": "has shape (1, 2): axis 0 is 1, not 2",
    "gradients": "`grads[2]` (float32, shape (1, 1)) has 1 of 1 values not finite",
    "while tracing": "in static: assert_shape: `x` (float32) has shape (2, 3): axis 1 is 3, not 5; expected shape",
    "functional": "assert_finite: `hidden` (float32, shape (3, 3)) has",
    "functional shape": "`hidden` (float32) has shape (None, 3): axis 1 is 3, not 4; expected shape (batch 4)",
    "loaded": "assert_finite: `hidden of assert_scenarios.py:",
}


@pytest.mark.parametrize("case", MESSAGES)
def test_what_fails_says_where_what_and_whence(case: str, told: dict[str, Any]) -> None:
    kinds, message = told[case]
    assert {"CheckFailed", "AssertionError"} <= set(kinds), (kinds, message)
    assert MESSAGES[case] in message


GRAPHS = {
    "function": (
        f"assert_scenarios.py:{line('return whydied.assert_finite(y) * 2')} in traced: assert_finite: `y` "
        "(float32, shape (2, 2)) expected every value finite; made by op Log (Log) at "
        f"assert_scenarios.py:{line('y = tf.math.log(x)')}; it] [has] [2] [bad values of] [4] [; the first at] "
        "[[0 1][1 1]] [are] [-inf"
    ),
    "unknown shape": "(float32, shape unknown) expected shape (n *many 3 n); it] [has shape] [2 5 3 1]",
    "unknown shape, short": "expected shape (n *many 3 n); it] [has shape] [2 3]",
    "limits, bytes": "expected at most 400 B; it] [has] [480] [bytes, shape] [6 20]",
    "limits, axes": "expected no axis longer than (None, 20); it] [has shape] [1 21]",
    "dataset": "expected every value from 0 to 2; it] [has] [1] [bad values of] [1]",
    "session": "made by op Sqrt (Sqrt)",
    "fit": f"assert_scenarios.py:{line('hidden = whydied.assert_finite(hidden)')} in <module>: assert_finite: `hidden`",
}


@pytest.mark.parametrize("case", GRAPHS)
def test_in_a_graph_tensorflow_raises_it_with_our_text(case: str, told: dict[str, Any]) -> None:
    kinds, message = told[case]
    assert "InvalidArgumentError" in kinds, (kinds, message)
    assert GRAPHS[case] in message


def test_what_holds_passes_and_gradients_too(told: dict[str, Any]) -> None:
    assert told["function good"] == ["gave", [[0, 0], [0, 0]]]
    assert told["whole numbers"] == ["gave", [1, 2]]
    assert told["shape as tuple"][0] == "gave"
    assert told["unknown shape good"] == ["gave", [2, 5, 3, 2]]
    assert told["unknown shape, no middle"] == ["gave", [2, 3, 2]]
    assert told["limits good"] == ["gave", [5, 20]]
    assert told["session good"] == ["gave", [[1, 2]]]
    assert told["functional good"] == ["gave", [[6], [6]]]
    assert told["gradient eager"] == told["gradient function"] == ["gave", [[2, 4]]]
    assert told["masked"] == ["gave", [[True, False]]]
    assert told["same object"] == [True, "float32"]


def test_xla_leaves_out_what_needs_values(told: dict[str, Any]) -> None:
    assert told["compiled"] == ["gave", [True]]


def test_what_cannot_be_ordered_is_an_error_of_the_caller(told: dict[str, Any]) -> None:
    assert "TypeError" in told["range of strings"][0]


TRAINING = """
import sys
import numpy as np
import keras
import tensorflow as tf

keras.utils.set_random_seed(1)
model = keras.Sequential()
model.add(keras.Input((4,)))
model.add(keras.layers.Dense(3, name="hidden_1"))
model.add(keras.layers.Dropout(0.5))
model.add(keras.layers.Dense(1, name="head"))
x = np.ones((64, 4), "float32")
if "bad" in sys.argv:
    x[33, 2] = np.nan
if "call" in sys.argv:
    print(model(x).shape)
else:
    model.compile("adam", "mse")
    model.fit(x, np.ones((64, 1)), batch_size=16, shuffle=False, verbose=0)
print(b"".join(weight.tobytes() for weight in model.get_weights()).hex())
"""
SETTINGS = """
[tool.whydied.assert]
"hidden*" = ["finite", "range(-100, 100)", "rank<=2", "bytes<1MB", "shape(batch 3)"]
"""


@pytest.fixture
def training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # For the program under `whydied run` too: with other kernels the weights are others in the last bit.
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "pyproject.toml").write_text(SETTINGS)
    return child.write(tmp_path, TRAINING)


def report(whydied: Callable[..., Completed], tmp_path: Path, *words: str | Path) -> tuple[Completed, Any]:
    done = whydied("run", "--quiet", "--no-replay", "--no-numerics", "--json", tmp_path / "report.json", *words)
    return done, json.loads((tmp_path / "report.json").read_text())


@pytest.mark.parametrize("way", varied(["fit", "call"], "fit"))
def test_the_configuration_checks_layers_without_the_code(
    way: str, training: Path, whydied: Callable[..., Completed], tmp_path: Path
) -> None:
    done, told = report(whydied, tmp_path, training, "bad", way)
    assert done.returncode == 1
    # The data itself may be found to be the deeper cause.
    found = next(finding for finding in told["findings"] if finding["code"] == "NUM020")
    assert found["location"]["source"].startswith('model.add(keras.layers.Dense(3, name="hidden_1"))')
    assert found["culprit"]["name"] == "hidden_1"
    # Row 33 is row 1 of the third batch of 16.
    assert found["culprit"]["rows"] == {"batch": [33 if way == "call" else 1], "dataset": [], "count": 1}
    assert told["death"]["code"] == "PRC008"
    assert told["internal_errors"] == []


def test_checks_that_hold_change_nothing(training: Path, whydied: Callable[..., Completed], tmp_path: Path) -> None:
    expected = child.plain(training, cwd=tmp_path, env=QUIET)
    done, told = report(whydied, tmp_path, training)
    assert (done.returncode, done.stdout.decode()) == (expected.status, expected.stdout)
    assert told["findings"] == []
    assert told["internal_errors"] == []


@pytest.mark.variation
def test_a_failure_of_ours_in_the_hook_is_unnoticed(training: Path, tmp_path: Path) -> None:
    expected = child.plain(training, cwd=tmp_path, env=QUIET)
    run = tmp_path / "run"
    run.mkdir()
    wish = {"asserts": [{"glob": "hidden*", "checks": [{"kind": "finite"}]}]}
    (run / "wishes.json").write_text(json.dumps(wish))
    places = {"watched.called", "install.watched.hook_optimizers"}
    env = {**QUIET, "WHYDIED_INJECT": ",".join(places)}
    recorded = child.inside(training, cwd=tmp_path, run=run, env=env)
    assert (recorded.ended.status, recorded.ended.stdout) == (expected.status, expected.stdout)
    assert {error.where for error in recorded.all(InternalError)} == {
        "watched.called",
        "install.watched.hook_optimizers",
    }


LOOP = """
import tensorflow as tf
import whydied

@tf.function
def step(x):
    scaled = x / tf.reduce_sum(x, axis=1, keepdims=True)
    return tf.reduce_mean(whydied.assert_finite(scaled))

x = tf.concat([tf.ones((5, 3)), tf.zeros((1, 3))], 0)
try:
    step(-x[5:])
except tf.errors.InvalidArgumentError:
    print("caught")
if CAUGHT:
    step(x[:5])
else:
    step(x)
"""


@pytest.mark.parametrize("caught", varied([True, False], False))
def test_an_assertion_in_a_function_is_the_cause_unless_it_is_caught(
    caught: bool, whydied: Callable[..., Completed], tmp_path: Path
) -> None:
    path = child.write(tmp_path, LOOP.replace("CAUGHT", str(caught)))
    done, told = report(whydied, tmp_path, path)
    assert done.stdout == b"caught\n"
    if caught:
        assert told["cause"] is None
        return
    cause = told["cause"]
    assert cause["code"] == "NUM020"
    assert cause["location"]["source"].strip() == "return tf.reduce_mean(whydied.assert_finite(scaled))"
    assert cause["culprit"]["name"] == "scaled"
    assert cause["culprit"]["rows"] == {"batch": [5], "dataset": [], "count": 1}
    assert re.search(r"has 3 bad values of 18; the first at \[5 0\]\[5 1\]\[5 2\] are -?nan", cause["message"])
    source = path.read_text().splitlines().index("    scaled = x / tf.reduce_sum(x, axis=1, keepdims=True)") + 1
    assert f"made by op RealDiv (truediv) at program.py:{source}" in cause["advice"][0]


@pytest.mark.variation
def test_recorded_scenarios_are_as_plain_ones(told: dict[str, Any], tmp_path: Path) -> None:
    recorded = child.inside(SCENARIOS, cwd=tmp_path, run=tmp_path / "run", env=QUIET, timeout_s=280)
    assert recorded.ended.status == 0, recorded.ended.stderr
    seen = json.loads(recorded.ended.stdout.splitlines()[-1])
    assert {case: _plain(answer) for case, answer in seen.items()} == {case: _plain(one) for case, one in told.items()}
    assert any(placed.name == "y" and placed.made for placed in recorded.all(AssertionPlaced))
    assert recorded.all(InternalError) == []


def _plain(answer: list[Any]) -> Any:
    """Names of functions in TensorFlow's errors are numbered, and a recorded layer has a name."""
    return answer[0], re.sub(r"_\d+|of layer \w+ |0x[0-9a-f]+", "", str(answer[1]))


def test_a_check_that_is_none_is_refused_before_the_program(whydied: Callable[..., Completed], tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.whydied.assert]\n"dense*" = "range(a, b)"\n')
    done = whydied("run", child.write(tmp_path, "print('ran')"))
    assert done.returncode == 2
    assert b"'range(a, b)' in [tool.whydied.assert] is not a check" in done.stderr
    assert b"ran" not in done.stdout
