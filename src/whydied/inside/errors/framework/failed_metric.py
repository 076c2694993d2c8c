"""The metric that was being updated when an exception rose; runs in the user's process, after an exception.

Invariant: metrics are only read. An error of a graph that ran quotes the library's lines at which the op was
made; the metric is the one whose `update_state` has the line.
"""

from __future__ import annotations

from types import CodeType
from typing import Any

from whydied.inside.errors.stack_steps import Step
from whydied.inside.guest import guard
from whydied.inside.guest.lookup import instance_dict
from whydied.texts import graph_messages

_QUOTED = graph_messages.UPDATES_A_METRIC.pattern


def metric_at_work(steps: list[Step], users: list[Step], message: str, model: Any) -> str:
    """The type of the metric of Keras's own; empty where none was at work, or which one is not known. What fails in a
    metric of the user's has a line of its own."""
    below = steps[steps.index(users[-1]) :] if users else steps
    for step in reversed(below):
        one = step.get("self") if step.frame.f_code.co_name == "update_state" else None
        if one is not None and _is_metric(one):
            return type(one).__name__ if _is_of_keras(type(one)) else ""
    quoted = [(file, int(line)) for file, line in _QUOTED.findall(message)]
    fitting = {type(one) for one in _compiled(model) if any(_has(one, *place) for place in quoted[-1:])}
    kind = fitting.pop() if len(fitting) == 1 else None
    return kind.__name__ if kind is not None and _is_of_keras(kind) else ""


def _compiled(model: Any) -> list[Any]:
    """The metrics of `compile`, as Keras has made them of names and functions."""
    holder = instance_dict(model).get("_compile_metrics")
    try:
        return [one for one in getattr(holder, "metrics", ()) if _is_metric(one)] if holder is not None else []
    except Exception as error:
        if guard.is_the_users(error):
            raise
        return []


def _has(metric: Any, file: str, line: int) -> bool:
    for kind in type.__dict__["__mro__"].__get__(type(metric)):
        function = type.__dict__["__dict__"].__get__(kind).get("update_state")
        code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
        if isinstance(code, CodeType):
            lines = [number for *_, number in code.co_lines() if number is not None]
            return code.co_filename == file and min(lines) <= line <= max(lines)
    return False


def _is_metric(value: Any) -> bool:
    kinds = type.__dict__["__mro__"].__get__(type(value))
    return any(kind.__name__ == "Metric" and _is_of_keras(kind) for kind in kinds)


def _is_of_keras(kind: type) -> bool:
    return kind.__module__.startswith(("keras.", "tf_keras."))
