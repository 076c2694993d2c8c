"""A training step of the user's, traced for its table of ops, and really run once to measure it; runs in the user's
process, or in a child that has a copy of the model.

Invariant: what a trial changes (weights, optimizer, metrics) is put back, so that the program goes on as before.
"""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from whydied.errors import WhydiedError
from whydied.graph.op_table import Table
from whydied.inside.model.graph_table import TableMaker

STEPS = 2
"""The second step has the first one's memory to reuse, and the next batch beside it."""
_CLEAR_PEAK = "5"


def is_model(thing: Any) -> bool:
    return hasattr(thing, "train_step") and hasattr(thing, "fit")


def arrays_of(data: Any) -> list[Any]:
    """The arrays of what a model is given, by their place."""
    if isinstance(data, dict):
        return [one for value in data.values() for one in arrays_of(value)]
    if isinstance(data, list | tuple):
        return [one for value in data for one in arrays_of(value)]
    return [] if data is None else [data]


def mapped(data: Any, function: Callable[[Any], Any]) -> Any:
    """The same structure with something else in the place of each array."""
    if isinstance(data, dict):
        return {key: mapped(value, function) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return type(data)(mapped(value, function) for value in data)
    return None if data is None else function(data)


class Traced(NamedTuple):
    """The table of a step for any number of rows, None where it cannot be traced, and the variables that it changes."""

    table: Table | None
    variables: list[Any]


def traced(step: Any, x: Any, y: Any) -> Traced:
    """Makes what the step makes when it first runs, such as the slots of an optimizer; nothing is computed."""
    tensorflow: Any = importlib.import_module("tensorflow")
    spec = mapped([x] if y is None else [x, y], lambda one: tensorflow.TensorSpec((None, *one.shape[1:]), one.dtype))
    try:
        function = tensorflow.function(_step_of(step, y is not None), reduce_retracing=True)
        concrete = function.get_concrete_function(*spec)
        table = TableMaker().of_function("step", concrete.graph)
    except Exception:
        return Traced(None, _variables(step, []))
    return Traced(table, _variables(step, concrete.graph.variables))


def _step_of(step: Any, labelled: bool) -> Any:
    if not is_model(step):
        return getattr(step, "python_function", step)
    if labelled:
        return lambda x, y: step.train_step((x, y))
    return lambda x: step.train_step((x,))


class Measured(NamedTuple):
    """Bytes of the process's own memory before real steps, and the most during them."""

    before_bytes: int
    peak_bytes: int


def measured(step: Any, x: Any, y: Any, rows: int, variables: list[Any]) -> Measured:
    """Real steps with so many rows. The variables have their values again afterwards."""
    with _put_back(variables):
        before = _status("RssAnon")
        # Where that is forbidden the peak is that of the whole process, and the answer more careful.
        with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
            file.write(_CLEAR_PEAK)
        shared = _status("RssFile") + _status("RssShmem")
        if is_model(step):
            step.fit(x, y, batch_size=rows, steps_per_epoch=STEPS, epochs=1, verbose=0, shuffle=False)
        else:
            parts = [mapped(one, lambda array: array[:rows]) for one in ([x] if y is None else [x, y])]
            for _ in range(STEPS):
                step(*parts)
        shared = max(shared, _status("RssFile") + _status("RssShmem"))
        return Measured(before, max(before, _status("VmHWM") - shared))


@contextlib.contextmanager
def _put_back(variables: list[Any]) -> Iterator[None]:
    values = [one.numpy() for one in variables]
    try:
        yield
    finally:
        for one, value in zip(variables, values, strict=True):
            one.assign(value)


def _variables(step: Any, used: Iterable[Any]) -> list[Any]:
    """Those of a model with its optimizer, and those that a traced step uses."""
    own = getattr(getattr(step, "optimizer", None), "variables", []) if is_model(step) else []
    found = [*(step.variables if is_model(step) else []), *(own() if callable(own) else own), *used]
    unique = {id(one): one for one in found if hasattr(one, "numpy") and getattr(one, "shape", None) is not None}
    return [one for one in unique.values() if "float" in str(one.dtype) or "int" in str(one.dtype)]


def _status(field: str) -> int:
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) << 10
    raise WhydiedError(f"/proc/{os.getpid()}/status has no {field}")
