"""How many batches a `tf.data` pipeline holds beside that of the step, and how many rows; runs in the user's process.

Only the objects of the pipeline are read, nothing is drawn from it.
"""

from __future__ import annotations

import gc
import os
from typing import Any, NamedTuple

_BATCHES = ("BatchDataset", "ParallelBatchDataset", "PaddedBatchDataset")
_LONGEST = 100


class Pipeline(NamedTuple):
    """`ready` counts batches, that of the step included; `rows` are those that wait before they become batches."""

    ready: int
    rows: int
    batch: int | None


def of_iterator(iterator: Any) -> Pipeline:
    dataset = getattr(iterator, "_dataset", None)
    ready, rows, batch, batched, optimized = 1, 0, None, False, True
    prefetches = False
    for _ in range(_LONGEST):
        if dataset is None:
            break
        kind = type(dataset).__name__.lstrip("_")
        if kind in _BATCHES:
            batched, batch = True, _number(dataset, "_batch_size")
        held = _held(dataset, kind)
        if batched:
            rows += held
        else:
            ready += held
        prefetches = prefetches or kind == "PrefetchDataset"
        options = getattr(dataset, "_options_attr", None)
        chosen = getattr(getattr(options, "experimental_optimization", None), "apply_default_optimizations", None)
        optimized = optimized and chosen is not False
        dataset = getattr(dataset, "_input_dataset", None)
    # TensorFlow puts a stage that holds one more at the end where the program has none.
    return Pipeline(ready + (1 if optimized and not prefetches else 0), rows, batch)


def _held(dataset: Any, kind: str) -> int:
    if kind == "PrefetchDataset":
        size = _number(dataset, "_buffer_size")
        return 1 if size is None or size < 0 else size
    if kind == "ShuffleDataset":
        return max(0, _number(dataset, "_buffer_size") or 0)
    if kind in ("ParallelMapDataset", "ParallelBatchDataset"):
        calls = _number(dataset, "_num_parallel_calls")
        return len(os.sched_getaffinity(0)) if calls is None or calls < 0 else calls
    return 0


def _number(dataset: Any, name: str) -> int | None:
    value = getattr(dataset, name, None)
    try:
        return int(value) if value is not None else None
    except (TypeError, ValueError):
        return None


def running_for(shapes: list[tuple[int, ...]]) -> Any:
    """The iterator that has given tensors of these shapes, where one is alive."""
    for one in gc.get_objects():
        if type(one).__name__ == "OwnedIterator" and getattr(one, "_dataset", None) is not None:
            given = [getattr(spec, "shape", None) for spec in _flat(one.element_spec)]
            if len(given) >= len(shapes) > 0 and all(
                spec is not None and spec.is_compatible_with(shape) for spec, shape in zip(given, shapes, strict=False)
            ):
                return one
    return None


def _flat(spec: Any) -> list[Any]:
    if isinstance(spec, dict):
        return [leaf for key in sorted(spec) for leaf in _flat(spec[key])]
    if isinstance(spec, list | tuple):
        return [leaf for one in spec for leaf in _flat(one)]
    return [spec]
