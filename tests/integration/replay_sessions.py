"""Scenarios of sessions and graphs of TensorFlow 1, for `replay_scenarios.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf
from replay_captures import Array, Session, positive

SESSIONS: dict[str, Callable[[], Session]] = {}


def session_scenario(function: Callable[[], Session]) -> Callable[[], Session]:
    SESSIONS[function.__name__] = function
    return function


def session_step(loss_of: Callable[[Any, Any], Any], x: Array, resource: bool, functional: bool = False) -> Session:
    """One weight, a loss, its gradient and an update, with either kind of variables and of control flow."""
    v1 = tf.compat.v1
    graph = tf.Graph()
    choose = v1.enable_control_flow_v2 if functional else v1.disable_control_flow_v2
    choose()
    try:
        with graph.as_default():
            data = v1.placeholder(tf.float32, [None, x.shape[1]], name="data")
            w = v1.get_variable("w", [x.shape[1]], initializer=v1.ones_initializer(), use_resource=resource)
            loss = loss_of(data, w)
            optimizer = v1.train.AdamOptimizer(0.1)
            pairs = optimizer.compute_gradients(loss, [w])
            train = optimizer.apply_gradients(pairs)
            with graph.control_dependencies([train]):
                after = tf.identity(w if resource else w.read_value(), name="after")
            variables = {variable.op.name: variable for variable in v1.global_variables()}
    finally:
        v1.enable_control_flow_v2()
    targets = {"loss": loss, "gradient of w": pairs[0][0], "weight w": after}
    return Session(graph, {"data": (data, x)}, variables, targets)


def with_zero() -> Array:
    x = positive()
    x[3, 2] = 0.0
    return x


@session_scenario
def session_log() -> Session:
    return session_step(lambda x, w: tf.reduce_mean(tf.math.log(x) * w), with_zero(), resource=True)  # <- session log


@session_scenario
def session_ref_variable() -> Session:
    return session_step(lambda x, w: tf.reduce_mean(tf.math.log(x) * w), with_zero(), resource=False)


@session_scenario
def session_sqrt_gradient() -> Session:
    x = positive()
    x[5] = 0.0

    def loss(x: Any, w: Any) -> Any:
        return tf.reduce_mean(tf.sqrt(tf.reduce_sum(tf.square(x * w), -1)))  # <- session sqrt

    return session_step(loss, x, resource=False)


@session_scenario
def session_branch() -> Session:
    def loss(x: Any, w: Any) -> Any:
        y = tf.compat.v1.cond(tf.reduce_sum(x) > 0, lambda: tf.math.log(x) * w, lambda: x * w)
        return tf.reduce_mean(y)

    return session_step(loss, with_zero(), resource=True)


def looped(x: Any, w: Any) -> Any:
    """log(x * w) is added three times, in a loop whose gradient needs its values."""

    def body(turn: Any, total: Any) -> Any:
        return turn + 1, total * 0.5 + tf.math.log(x * w + 0.0 * total)  # <- session loop

    _, total = tf.compat.v1.while_loop(lambda turn, total: turn < 3, body, [0, tf.ones_like(x)])
    return tf.reduce_mean(total)


@session_scenario
def session_loop() -> Session:
    return session_step(looped, with_zero(), resource=True)


@session_scenario
def session_loop_of_functions() -> Session:
    return session_step(looped, with_zero(), resource=True, functional=True)


@session_scenario
def session_loop_gradient() -> Session:
    """The loss is finite; only the loop's gradient is not."""
    x = positive()
    x[6, 1] = 0.0

    def body(turn: Any, total: Any, x: Any, w: Any) -> Any:
        return turn + 1, total * 0.5 + tf.sqrt(x * w)

    def loss(x: Any, w: Any) -> Any:
        start = [0, tf.ones_like(x)]
        _, total = tf.compat.v1.while_loop(lambda turn, total: turn < 2, lambda t, s: body(t, s, x, w), start)
        return tf.reduce_mean(total)

    return session_step(loss, x, resource=True)


@session_scenario
def session_recurrent() -> Session:
    """Tensor arrays, as recurrent networks of TensorFlow 1 use them."""

    def loss(x: Any, w: Any) -> Any:
        rows = tf.TensorArray(tf.float32, 4, element_shape=[None]).unstack(tf.transpose(x * w))

        def body(turn: Any, total: Any, out: Any) -> Any:
            total = total * 0.5 + tf.math.log(rows.read(turn))
            return turn + 1, total, out.write(turn, total)

        out = tf.TensorArray(tf.float32, 4, element_shape=[None])
        start = [0, tf.ones_like(x[:, 0]), out]
        out = tf.compat.v1.while_loop(lambda turn, total, out: turn < 4, body, start)[2]
        return tf.reduce_mean(out.stack())

    return session_step(loss, with_zero(), resource=True)
