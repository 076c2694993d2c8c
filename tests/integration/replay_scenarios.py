"""Builds captures of small real steps and replays them, all in one process: `replay_scenarios.py DIRECTORY [NAME…]`.

A scenario is a function that returns a `Step`: a tf.function whose result is a dict of named values ("loss",
"gradient of w"), and its arguments.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import replay_keras  # noqa: F401  (its scenarios enter themselves)
import tensorflow as tf
from replay_captures import Step, build, build_session, positive, rng
from replay_sessions import SESSIONS
from replay_steps import SCENARIOS, ones, scenario, trained

from whydied.replay import step_report


@scenario
def log_of_zero() -> Step:
    x = positive()
    x[3, 2] = 0.0
    w = ones(4)
    return trained(
        lambda x: tf.reduce_mean(tf.math.log(x) * w),  # <- log
        {"x": x},
        w,
        rows={"x": [100 + row for row in range(8)]},
    )


@scenario
def sqrt_of_negative() -> Step:
    x = positive()
    x[5, 1] = -2.0
    w = ones(4)
    return trained(lambda x: tf.reduce_mean(tf.sqrt(x) * w), {"x": x}, w)


@scenario
def zero_by_zero() -> Step:
    x = positive()
    x[2] = 0.0
    w = ones(4)
    return trained(lambda x: tf.reduce_mean(x / tf.reduce_sum(x, -1, keepdims=True) * w), {"x": x}, w)


@scenario
def divided_by_zero() -> Step:
    x, y = positive(), positive()
    y[6, 3] = 0.0
    w = ones(4)
    return trained(lambda x, y: tf.reduce_mean(x / y * w), {"x": x, "y": y}, w)


@scenario
def pow_of_negative() -> Step:
    x = positive()
    x[1, 0] = -1.0
    w = ones(4)
    return trained(lambda x: tf.reduce_mean(tf.pow(x, 0.5) * w), {"x": x}, w)


@scenario
def exp_overflow() -> Step:
    x = positive()
    x[4, 2] = 120.0
    w = ones(4)
    return trained(lambda x: tf.reduce_mean(tf.exp(x * w)), {"x": x}, w)


@scenario
def acos_of_two() -> Step:
    x = positive() / 2
    x[7, 1] = 2.0
    w = ones(4)
    return trained(lambda x: tf.reduce_mean(tf.acos(x) * w), {"x": x}, w)


@scenario
def norm_at_zero() -> Step:
    x = positive()
    x[3] = 0.0
    w = ones(4, 2)
    return trained(
        lambda x: tf.reduce_mean(tf.norm(x @ w, axis=-1)),  # <- norm
        {"x": x},
        w,
    )


@scenario
def where_with_division() -> Step:
    x = positive()
    x[2, 1] = 0.0
    w = ones(4)

    def loss(x: Any) -> Any:
        y = x * w
        safe = tf.where(y > 0.0, 1.0 / y, tf.zeros_like(y))  # <- division
        return tf.reduce_mean(safe)

    return trained(loss, {"x": x}, w)


@scenario
def where_with_sqrt() -> Step:
    x = positive()
    x[2, 1] = -1.0
    w = ones(4)

    def loss(x: Any) -> Any:
        y = x * w
        return tf.reduce_mean(tf.where(y > 0.0, tf.sqrt(y), tf.zeros_like(y)))

    return trained(loss, {"x": x}, w)


@scenario
def where_with_log() -> Step:
    x = positive()
    x[6, 3] = 0.0
    w = ones(4)

    def loss(x: Any) -> Any:
        y = x * w
        return tf.reduce_mean(tf.where(y > 0.0, tf.math.log(y), tf.zeros_like(y)))  # <- log in where

    return trained(loss, {"x": x}, w)


@scenario
def masked_labels_squared() -> Step:
    x, y = positive(), positive(8, 1)
    y[5, 0] = np.nan
    w = ones(4, 1)

    def loss(x: Any, y: Any) -> Any:
        error = tf.square(y - x @ w)
        return tf.reduce_mean(tf.where(tf.math.is_nan(y), tf.zeros_like(error), error))

    return trained(loss, {"x": x, "y": y}, w)


@scenario
def half_overflow() -> Step:
    x = positive().astype("float16")
    x[4] = 900.0
    w = tf.Variable(tf.fill((4, 2), tf.constant(30.0, tf.float16)))
    return trained(lambda x: tf.reduce_mean(x @ w), {"x": x}, w)


@scenario
def cast_overflow() -> Step:
    x = positive()
    x[:] = 1e6
    w = tf.Variable(tf.ones((4,), tf.float16))
    return trained(lambda x: tf.reduce_mean(tf.cast(x, tf.float16) * w), {"x": x}, w)


@scenario
def nan_row() -> Step:
    x = positive()
    x[3] = np.nan
    w = ones(4, 2)
    return trained(lambda x: tf.reduce_mean(x @ w), {"x": x}, w, rows={"x": list(range(50, 58))})


@scenario
def inf_value() -> Step:
    x = positive()
    x[1, 2] = np.inf
    w = ones(4, 2)
    return trained(lambda x: tf.reduce_mean(tf.square(x @ w)), {"x": x}, w)


@scenario
def nan_column() -> Step:
    x = positive()
    x[:, 2] = np.nan
    w = ones(4, 2)
    return trained(lambda x: tf.reduce_mean(x @ w), {"x": x}, w)


@scenario
def nan_weight() -> Step:
    w = tf.Variable(np.array([[1.0, np.nan], [1, 1], [1, 1], [1, 1]], "float32"))
    return trained(lambda x: tf.reduce_mean(x @ w), {"x": positive()}, w)


@scenario
def exploded_weight() -> Step:
    w = tf.Variable(tf.fill((4, 2), 3e7))
    return trained(lambda x: tf.reduce_mean(tf.exp(x @ w)), {"x": positive()}, w)


@scenario
def zero_scale_weight() -> Step:
    w = tf.Variable(tf.zeros((4,)))
    return trained(lambda x: tf.reduce_mean(x / w), {"x": positive()}, w)


@scenario
def inf_constant() -> Step:
    w = ones(4)
    return trained(lambda x: tf.reduce_mean(x * w + np.inf), {"x": positive()}, w)


@scenario
def inf_times_mask() -> Step:
    w = ones(4)
    mask = np.tile(np.array([1, 1, 0, 1], "float32"), (8, 1))

    def loss(x: Any, mask: Any) -> Any:
        return tf.reduce_mean(tf.nn.softmax(x * w + (1.0 - mask) * -np.inf))  # <- mask

    return trained(loss, {"x": positive(), "mask": mask}, w)


@scenario
def fully_masked_row() -> Step:
    w = ones(4)
    mask = np.ones((8, 4), bool)
    mask[5] = False

    def loss(x: Any, mask: Any) -> Any:
        scores = tf.where(mask, x * w, -np.inf)
        return tf.reduce_mean(tf.square(tf.nn.softmax(scores)))  # <- softmax

    return trained(loss, {"x": positive(), "mask": mask}, w)


@scenario
def attention_mask() -> Step:
    w = ones(4)
    mask = np.ones((8, 4), bool)
    mask[5, 2:] = False

    def loss(x: Any, mask: Any) -> Any:
        return tf.reduce_mean(tf.square(tf.nn.softmax(tf.where(mask, x * w, -np.inf))))

    return trained(loss, {"x": positive(), "mask": mask}, w)


@scenario
def several_bad_rows() -> Step:
    x = positive(16)
    x[2, 1] = x[9, 1] = x[13, 0] = 0.0
    w = ones(4)
    return trained(lambda x: tf.reduce_mean(tf.math.log(x) * w), {"x": x}, w)


@scenario
def all_rows_zero() -> Step:
    w = ones(4)
    return trained(lambda x: tf.reduce_mean(tf.math.log(x) * w), {"x": np.zeros((8, 4), "float32")}, w)


@scenario
def flattened_batch() -> Step:
    x = rng().uniform(0.5, 1.5, (6, 5, 3)).astype("float32")
    x[4, 2, 1] = 0.0
    w = ones(3)
    return trained(lambda x: tf.reduce_mean(tf.math.log(tf.reshape(x, (-1, 3))) * w), {"x": x}, w)


@scenario
def transposed_flattened_batch() -> Step:
    x = rng().uniform(0.5, 1.5, (6, 5, 3)).astype("float32")
    x[4, 2, 1] = 0.0
    w = ones(3)

    def loss(x: Any) -> Any:
        return tf.reduce_mean(tf.math.log(tf.reshape(tf.transpose(x, (1, 0, 2)), (-1, 3))) * w)

    return trained(loss, {"x": x}, w)


@scenario
def whole_batch_statistic() -> Step:
    """The bad op has no axis of rows: only trials can find the row."""
    x = positive(16)
    x[11, 3] = 0.0
    w = ones(4)

    def loss(x: Any) -> Any:
        return tf.reduce_mean(x * w) * tf.math.log(tf.reduce_min(x))

    return trained(loss, {"x": x}, w)


@scenario
def called_functions() -> Step:
    """The bad op is in a function within a branch within a function."""
    x = positive()
    x[3, 0] = 0.0
    w = ones(4)

    @tf.function
    def inner(x: Any) -> Any:
        if tf.reduce_sum(x) > 0.0:
            return tf.math.log(x) * w  # <- inner log
        return x * w

    return trained(lambda x: tf.reduce_mean(inner(x)), {"x": x}, w)


@scenario
def python_function() -> Step:
    w = ones(4)

    def loss(x: Any) -> Any:
        y = tf.numpy_function(lambda x: x, [x], tf.float32)
        return tf.reduce_mean(tf.math.log(tf.reshape(y, (8, 4))) * w)

    return trained(loss, {"x": np.zeros((8, 4), "float32")}, w)


def main() -> None:
    directory = Path(sys.argv[1])
    for name in sys.argv[2:] or [*SCENARIOS, *SESSIONS]:
        if name in SCENARIOS:
            build(SCENARIOS[name](), directory / name)
        else:
            build_session(SESSIONS[name](), directory / name)
        found = step_report.replay(str(directory / name), 60.0, lambda words: None)
        (directory / name / "replay.json").write_bytes(msgspec.json.encode(found))


if __name__ == "__main__":
    main()
