"""The weights of a Keras model, with its optimizer's, on disk and back; runs in the user's process.

Invariant: through Keras' own public methods. A file has its name only when it is whole.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable
from typing import Any

_SAMPLED = 100
_PRECISION = 1e-3
"""Of half precision."""


def save(model: Any, stem: str) -> str:
    """Write the weights; the path that `load` takes. Keras 2 keeps the optimizer's only in the files of a checkpoint,
    which it writes under other names first by itself."""
    if not is_keras_3(model):
        model.save_weights(stem)
        return stem
    path, unfinished = f"{stem}.weights.h5", f"{stem}-unfinished.weights.h5"
    model.save_weights(unfinished)
    os.replace(unfinished, path)
    return path


def save_for_user(model: Any, stem: str) -> str:
    """Write the weights as `model.load_weights` takes them."""
    path = f"{stem}.weights.h5"
    model.save_weights(path)
    return path


def load(model: Any, path: str) -> None:
    if not is_keras_3(model):
        model.load_weights(path).expect_partial()
        return
    optimizer = model.optimizer
    if optimizer is not None and not optimizer.built:
        # Or its variables would be passed over.
        optimizer.build(model.trainable_variables)
    model.load_weights(path)


def is_keras_3(model: Any) -> bool:
    return not hasattr(model, "_training_state")


def shapes(model: Any) -> list[list[int]]:
    return [[int(size) for size in weight.shape] for weight in model.weights]


def size_bytes(model: Any) -> int:
    return sum(_weight_bytes(shape) for shape in shapes(model))


def largest_bytes(model: Any) -> int:
    """Of a single weight: they are written one by one."""
    return max((_weight_bytes(shape) for shape in shapes(model)), default=0)


def _weight_bytes(shape: list[int]) -> int:
    return 4 * math.prod(shape)


def is_finite(model: Any) -> bool:
    import numpy

    return all(
        bool(numpy.isfinite(value).all())
        for value in (weight.numpy() for weight in model.weights)
        if value.dtype.kind in "fV"
    )


def rate(model: Any) -> float | None:
    """The learning rate, where it is a number that can be set."""
    found: Any = getattr(model.optimizer, "_learning_rate", None)
    return float(found.numpy()) if hasattr(found, "assign") and hasattr(found, "numpy") else None


def set_rate(model: Any, value: float) -> None:
    model.optimizer._learning_rate.assign(value)


def sample(*arrays: Any) -> list[float | None]:
    """The sizes and some of the values of arrays; nothing where one is not an array of numbers."""
    numpy: Any = sys.modules.get("numpy")
    found: list[float | None] = []
    for array in arrays:
        if numpy is None or type(array) is not numpy.ndarray or array.dtype.kind not in "biuf" or not array.size:
            return []
        found += [float(size) for size in array.shape]
        found += plain(array.flat[:: max(1, array.size // _SAMPLED)])
    return found


def plain(values: Iterable[Any]) -> list[float | None]:
    """Numbers as JSON has them."""
    return [value if math.isfinite(value) else None for value in map(float, values)]


def are_alike(before: list[float | None], now: list[float | None]) -> bool:
    """Whether two samples are of the same data, another precision aside."""
    return len(before) == len(now) and all(
        one == other or (one is not None and other is not None and math.isclose(one, other, rel_tol=_PRECISION))
        for one, other in zip(before, now, strict=True)
    )
