"""The learning rate of an optimizer that follows a schedule; runs in the user's process, at a capture or at the end.

Invariant: only a schedule of Keras' own is asked. One that the program wrote would be the program's code.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whydied.inside.guest.lookup import instance_dict
from whydied.inside.numerics import hidden_ops

_OWN = ("keras.", "tf_keras.")


class Rates(NamedTuple):
    """At the first step, and now."""

    first: float
    now: float


def rates(optimizer: Any, step: float | None) -> Rates | None:
    """None where the optimizer has no schedule, or one that may not be asked."""
    own = instance_dict(optimizer)
    schedule = own.get("_learning_rate")
    if schedule is None and isinstance(own.get("_hyper"), dict):
        schedule = own["_hyper"].get("learning_rate")
    if step is None or schedule is None or not _is_schedule(type(schedule)):
        return None
    try:
        with hidden_ops.eagerly():
            return Rates(float(schedule(0)), float(schedule(int(step))))
    except (hidden_ops.NotEager, TypeError, ValueError):
        return None


def _is_schedule(kind: type) -> bool:
    return kind.__module__.startswith(_OWN) and any(base.__name__ == "LearningRateSchedule" for base in kind.__mro__)
