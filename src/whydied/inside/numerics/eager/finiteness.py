"""Are these tensors finite? And their norms; runs in the user's process, at each update of an eager step.

Invariant: no op of TensorFlow's is run. A tensor in the host's memory is looked at where it lies; one on a
device would have to be copied, which `Pace` allows for at most a hundredth of the time.
"""

from __future__ import annotations

import time
from typing import Any

_SHARE = 100


def dense(tensor: Any) -> Any:
    """The tensor that holds the values: of a sparse gradient, those of its rows. None for what is no eager tensor."""
    if hasattr(tensor, "_numpy"):
        return tensor
    values = getattr(tensor, "values", None)
    return values if hasattr(values, "_numpy") else None


def square(tensor: Any) -> float:
    """The square of the norm, which is not finite where an element is not; it may also overflow."""
    import numpy

    array = tensor._numpy()
    kind = array.dtype.char
    if kind not in "fd":
        if array.dtype.kind not in "fcV":
            return 0.0
        array = array.astype(numpy.complex128 if array.dtype.kind == "c" else numpy.float32)
    return float(abs(numpy.vdot(array, array)))


def is_finite(tensor: Any) -> bool:
    """Exactly."""
    import numpy

    array = tensor._numpy()
    if array.dtype.kind not in "fcV":
        return True
    if array.dtype.kind == "V" or array.dtype.itemsize < 2:
        array = array.astype(numpy.float32)
    return bool(numpy.isfinite(array).all())


def norm(array: Any) -> float:
    """Of an array; wide, because squares overflow long before values do."""
    import numpy

    if array is None or array.dtype.kind not in "fV":
        return 0.0
    wide = array.astype(numpy.float64).reshape(-1)
    return float(numpy.sqrt(numpy.dot(wide, wide)))


def is_on_host(tensor: Any) -> bool:
    device = getattr(tensor, "backing_device", "") or ""
    return "GPU" not in device and "TPU" not in device


class Pace:
    """Lets work be done for at most a share of the time that passes."""

    def __init__(self) -> None:
        self._until = 0.0

    def allows(self) -> bool:
        return time.perf_counter() >= self._until

    def took(self, began: float) -> None:
        now = time.perf_counter()
        self._until = now + (now - began) * _SHARE
