"""Trains the program's own `fit` with a chosen batch, for a few steps, under a limit; runs in the user's process, which
ends then, and only where `whydied estimate --verify` started it.

Where `fit` gets arrays, its batch is an argument: with another one the data, the pipeline and the steps are those that
the program would have. Callbacks and validation are left out, so that nothing is written over. What gets its batches
from elsewhere is tried with zeros instead, see `trial_steps`.
"""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

from whydied.inside.preflight import trial_steps

_LEFT_OUT: dict[str, Any] = {
    "callbacks": None,
    "validation_data": None,
    "validation_split": 0.0,
    "initial_epoch": 0,
    "verbose": 0,
    "epochs": 1000,
}
_LEAST_BATCHES = 2
_counting: trial_steps.Counting | None = None


def install(module: ModuleType, rows: int) -> None:
    """Replace `fit` of the class that trains in a module of Keras."""
    kind = module.TensorFlowTrainer if hasattr(module, "TensorFlowTrainer") else module.Model
    original = kind.fit

    def fit(self: Any, *args: Any, **kwargs: Any) -> Any:
        changed = _changed(original, self, args, kwargs, rows)
        if changed is None or _counting is not None:
            return original(self, *args, **kwargs)
        _begin(rows)
        return original(**changed)

    kind.fit = fit


def _changed(original: Any, self: Any, args: Any, kwargs: Any, rows: int) -> dict[str, Any] | None:
    """The arguments with the chosen batch; None where the batch is not `fit`'s to choose."""
    try:
        bound = inspect.signature(original).bind(self, *args, **kwargs)
    except TypeError:
        return None
    bound.apply_defaults()
    given = dict(bound.arguments)
    there = _rows(given.get("x")) or 0
    if there < _LEAST_BATCHES * rows:
        return None
    if given.get("steps_per_epoch") is not None:
        # Only whole batches, as the program has them: the allocator keeps traces of a smaller one.
        given["steps_per_epoch"] = min(int(given["steps_per_epoch"]), there // rows)
    given.update({name: value for name, value in _LEFT_OUT.items() if name in given})
    return {**given, "batch_size": rows}


def _rows(x: Any) -> int | None:
    while isinstance(x, list | tuple | dict) and x:
        x = next(iter(x.values())) if isinstance(x, dict) else x[0]
    is_array = type(x).__name__ in ("ndarray", "EagerTensor")
    return int(x.shape[0]) if is_array and len(x.shape) else None


def _begin(rows: int) -> None:
    global _counting
    _counting = trial_steps.Counting(rows)


def is_running() -> bool:
    return _counting is not None


def stepped() -> bool:
    """After a step: whether there were enough of them, and what they took is written."""
    return _counting is not None and _counting.stepped()


def failed(error: BaseException) -> None:
    """A step raised: for want of memory, or for a reason of its own."""
    if _counting is not None:
        _counting.failed(error)
