"""What the scenarios of traced steps are made with, for `replay_scenarios.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf
from replay_captures import Array, Step

SCENARIOS: dict[str, Callable[[], Step]] = {}


def scenario(function: Callable[[], Step]) -> Callable[[], Step]:
    SCENARIOS[function.__name__] = function
    return function


def trained(loss_of: Callable[..., Any], arguments: dict[str, Array], w: Any, **more: Any) -> Step:
    """A step that computes a loss of the arguments and its gradient by `w`, and applies it."""

    @tf.function
    def step(*values: Any) -> dict[str, Any]:
        with tf.GradientTape() as tape:
            loss = loss_of(*values)
        gradient = tape.gradient(loss, w)
        w.assign_sub(0.1 * gradient)
        return {"loss": loss, "gradient of w": gradient}

    return Step(step, arguments, names={id(w): "w"}, **more)


def ones(*shape: int) -> Any:
    return tf.Variable(tf.ones(shape))
