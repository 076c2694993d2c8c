"""The classes that only the last rows of the targets have, which `validation_split` keeps from the training; runs in
the user's process.

Invariant: nothing is changed or kept. Targets are counted only where they are NumPy's and few enough to count at once.
"""

from __future__ import annotations

import math
from typing import Any

from whydied.inside.guest import guard

LARGEST_COUNTED = 1 << 20
MOST_CLASSES = 10_000


@guard.otherwise(None)
def kept_for_validation(targets: Any, part: float) -> tuple[int, tuple[int, ...]] | None:
    """How many rows are kept, and the classes that no other row has; None of what are no class numbers or one-hot
    rows."""
    import numpy

    if type(targets) is not numpy.ndarray or not 0 < targets.size <= LARGEST_COUNTED or targets.ndim > 2:
        return None
    labels = targets[:, 0] if targets.ndim == 2 and targets.shape[1] == 1 else targets
    # As Keras does.
    cut = math.floor(len(labels) * (1.0 - part))
    if not 0 < cut < len(labels) or labels.dtype.kind not in "iufb":
        return None
    if labels.ndim == 2:
        if not bool(((labels == 0) | (labels == 1)).all() and (labels.sum(axis=1) == 1).all()):
            return None
        trained, kept = labels[:cut].any(axis=0), labels[cut:].any(axis=0)
    else:
        low, high = float(labels.min()), float(labels.max())
        if not (low >= 0 and high < MOST_CLASSES) or bool((labels != numpy.floor(labels)).any()):
            return None
        numbers, size = labels.astype("int64"), int(high) + 1
        trained, kept = (numpy.bincount(one, minlength=size) > 0 for one in (numbers[:cut], numbers[cut:]))
    return len(labels) - cut, tuple(int(one) for one in numpy.flatnonzero(kept & ~trained))
