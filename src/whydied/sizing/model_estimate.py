"""`whydied.estimate`: what training a model would take, without training it; runs in the user's process.

Invariant: the weights stay as they are and no step runs. What a first step would make, such as the slots of an
optimizer, is made.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from whydied.config import parse_memory_limit
from whydied.errors import UsageError
from whydied.graph.op_table import Table
from whydied.graph.traced_step import TracedStep
from whydied.inside.model.step_trial import mapped
from whydied.inside.preflight import step_facts
from whydied.inside.preflight.untraced_reasons import NotTraceable
from whydied.sizing.answer import answer
from whydied.sizing.estimate import Estimate
from whydied.sizing.memory_limit import own_limit_bytes

_ROWS = 2
"""Of the arrays that a step is traced with; the trace leaves their number open."""


class TracedModel(NamedTuple):
    step: TracedStep
    table: Table


def estimate(
    model: Any,
    batch_size: int | Sequence[int] = 32,
    *,
    x: Any = None,
    y: Any = None,
    optimizer: Any = None,
    loss: Any = None,
    limit: int | str | None = None,
    device_memory: int | str | None = None,
) -> Estimate:
    """What a training step of a Keras model takes with so many rows, and the largest batch that fits.

    `batch_size` is one or several; the first is taken as the program's own. `x` and `y` are arrays, of which only the
    shapes and types matter; without them the model's own inputs and outputs tell. A model that is not compiled needs
    `optimizer` and `loss`, and is compiled with them; without them inference is estimated. `limit` is the memory of the
    process ("8G"); without it the limit of its control group, else what the machine has. `device_memory` is that of a
    GPU, where one is asked about.

    Raises UsageError where the step cannot be traced.
    """
    batches = (batch_size,) if isinstance(batch_size, int) else tuple(batch_size)
    found = traced_model(model, batches, x=x, y=y, optimizer=optimizer, loss=loss)
    limit_bytes = _bytes(limit) or own_limit_bytes()
    return answer(found.step, found.table, batches, limit_bytes, _bytes(device_memory))


def _bytes(size: int | str | None) -> int | None:
    return parse_memory_limit(size) if isinstance(size, str) else size


def traced_model(
    model: Any, batches: tuple[int, ...], *, x: Any = None, y: Any = None, optimizer: Any = None, loss: Any = None
) -> TracedModel:
    """The step of a model. Raises UsageError where it cannot be traced."""
    if not batches or any(batch < 1 for batch in batches):
        raise UsageError("a batch has at least one row")
    if optimizer is not None or loss is not None:
        model.compile(optimizer=optimizer or "sgd", loss=loss)
    trains = getattr(model, "compiled", False) or getattr(model, "_is_compiled", False)
    data = _data(model, x, y, trains)
    tensorflow: Any = importlib.import_module("tensorflow")
    work = model.train_step if trains else model.predict_step
    try:
        found = step_facts.trace(tensorflow.function(lambda *given: work(given)), data, {}, None)
        refused = "it has no trainable variables"
    except NotTraceable as error:
        found, refused = None, str(error)
    if found is None:
        raise UsageError(f"the step of the model cannot be traced: {refused}", "give x and y as they are given to fit")
    kind = "fit" if trains else "predict"
    named = type(model.optimizer).__name__ if trains else ""
    step = msgspec.structs.replace(found.step, kind=kind, batch=batches[0], optimizer=named, feeding="call")
    return TracedModel(step, found.final.table)


def _data(model: Any, x: Any, y: Any, trains: bool) -> tuple[Any, ...]:
    import numpy

    def zeros(one: Any) -> Any:
        return numpy.zeros((_ROWS, *one.shape[1:]), str(getattr(one.dtype, "name", one.dtype)))

    if x is not None:
        return (mapped(x, zeros), *([mapped(y, zeros)] if y is not None and trains else []))
    inputs, outputs = getattr(model, "inputs", None), getattr(model, "outputs", None)
    if not inputs or any(None in one.shape[1:] for one in inputs):
        raise UsageError("the model does not tell the shapes of its inputs", "give x, and y for training")
    given = [zeros(one) for one in inputs]
    wanted = [_target(one, model, zeros) for one in outputs or ()] if trains else []
    several = [_single(given)] + ([_single(wanted)] if wanted else [])
    return tuple(several)


def _target(output: Any, model: Any, zeros: Any) -> Any:
    """Labels as the loss wants them: numbers of classes, or what the model gives."""
    import numpy

    told = str(getattr(model, "loss", "")).lower() + type(getattr(model, "loss", "")).__name__.lower()
    if "sparse" in told:
        return numpy.zeros((_ROWS, *output.shape[1:-1]), "int32")
    return zeros(output)


def _single(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else parts
