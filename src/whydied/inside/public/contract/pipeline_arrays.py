"""The arrays that a tf.data pipeline reads from, where its elements are their rows; runs in the user's process.

Invariant: no op is run and no iterator is made: the stages of the pipeline are read. A stage that changes,
drops or mixes rows in a way that cannot be followed makes the pipeline unknown, and then nothing is said of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whydied.inside.guest.lookup import instance_dict

_LONGEST_CHAIN = 50
_ORDERLY = frozenset({"_PrefetchDataset", "CacheDataset", "_OptionsDataset", "_RepeatDataset", "_ModelDataset"})
_MIXING = frozenset({"_ShuffleDataset"})
_BATCHING = frozenset({"_BatchDataset", "_ParallelBatchDataset", "_PaddedBatchDataset"})
_WINDOWS = frozenset({"_TakeDataset", "_SkipDataset"})


class SourceArray(NamedTuple):
    """An array of a source, and which of its rows reach the end of the pipeline."""

    tensor: Any
    start: int
    stop: int


def is_dataset(value: Any) -> bool:
    return any(
        kind.__module__.startswith("tensorflow.python.data.") and kind.__name__ == "DatasetV2"
        for kind in type.__getattribute__(type(value), "__mro__")
    )


def is_py_dataset(value: Any) -> bool:
    """A data set of Keras' own: `PyDataset`, in Keras 2 `Sequence`."""
    return any(
        kind.__name__ in ("PyDataset", "Sequence") and "keras" in kind.__module__
        for kind in type.__getattribute__(type(value), "__mro__")
    )


def source_arrays(dataset: Any) -> Any:
    """A structure of `SourceArray` of the form of the pipeline's elements, or None where it cannot be known."""
    stages: list[Any] = []
    for _ in range(_LONGEST_CHAIN):
        own, name = instance_dict(dataset), type(dataset).__name__
        if name == "_TensorSliceDataset":
            return _windowed(_slices(own), stages)
        if name == "_ZipDataset":
            parts = _zipped(own.get("_datasets"))
            return parts if all(type(stage).__name__ not in _WINDOWS for stage in stages) else None
        if name not in _ORDERLY | _MIXING | _BATCHING | _WINDOWS:
            return None
        stages.append(dataset)
        dataset = own.get("_input_dataset")
    return None


def batches_of(dataset: Any, rows: int) -> int | None:
    """How many batches a pipeline makes of so many rows in one pass; None where a stage leaves that open."""
    stages: list[Any] = []
    for _ in range(_LONGEST_CHAIN):
        name = type(dataset).__name__
        if name in ("_TensorSliceDataset", "_ZipDataset"):
            break
        if name not in _ORDERLY | _MIXING | _BATCHING:
            return None
        stages.append(dataset)
        dataset = instance_dict(dataset).get("_input_dataset")
    count = rows
    for stage in reversed(stages):
        if type(stage).__name__ in _BATCHING:
            own = instance_dict(stage)
            each, dropping = _plain(own.get("_batch_size")), own.get("_drop_remainder")
            if not each:
                return None
            count = count // each if _plain(dropping) else -(-count // each)
    return count


def generated(dataset: Any) -> str:
    """What comes straight from a Python generator: "rows" that are batched later, "batches", or "" where the elements
    come from elsewhere or are changed on the way. The generator is a flat_map over a single number."""
    form = "batches"
    for _ in range(_LONGEST_CHAIN):
        own, name = instance_dict(dataset), type(dataset).__name__
        if name == "_FlatMapDataset":
            function = getattr(own.get("_map_func"), "_func", None)
            mine = getattr(function, "__module__", "") == "tensorflow.python.data.ops.from_generator_op"
            return form if mine else ""
        if name in _BATCHING:
            form = "rows"
        elif name not in _ORDERLY | _MIXING | _WINDOWS:
            return ""
        dataset = own.get("_input_dataset")
    return ""


def _slices(own: dict[str, Any]) -> Any:
    from tensorflow import nest

    tensors = own.get("_tensors")
    structure = own.get("_structure")
    if not tensors or structure is None or any(type(tensor).__name__ != "EagerTensor" for tensor in tensors):
        return None
    rows = [tensor._shape_tuple()[0] for tensor in tensors]
    packed = nest.pack_sequence_as(
        structure, [SourceArray(tensor, 0, count) for tensor, count in zip(tensors, rows, strict=True)]
    )
    return packed if len(nest.flatten(structure)) == len(tensors) else None


def _zipped(datasets: Any) -> Any:
    if type(datasets) is dict:
        parts: Any = {name: source_arrays(part) for name, part in datasets.items()}
        return None if any(part is None for part in parts.values()) else parts
    if type(datasets) in (tuple, list):
        parts = tuple(source_arrays(part) for part in datasets)
        return None if any(part is None for part in parts) else parts
    return None


def _windowed(held: Any, stages: list[Any]) -> Any:
    """With what `take` and `skip` leave of the rows; not known where they come after a shuffle or a batch."""
    mixed = False
    for stage in reversed(stages):
        name = type(stage).__name__
        if name in _WINDOWS:
            count = _plain(instance_dict(stage).get("_count"))
            if mixed or count is None:
                return None
            held = _mapped(held, name == "_TakeDataset", count)
        mixed = mixed or name in _MIXING | _BATCHING or name == "_RepeatDataset"
    return held


def _mapped(held: Any, take: bool, count: int) -> Any:
    if isinstance(held, SourceArray):
        if take:
            return held if count < 0 else held._replace(stop=min(held.stop, held.start + count))
        return held._replace(start=held.stop if count < 0 else min(held.stop, held.start + count))
    if type(held) is dict:
        return {name: _mapped(part, take, count) for name, part in held.items()}
    return tuple(_mapped(part, take, count) for part in held) if held is not None else None


def _plain(value: Any) -> int | None:
    try:
        return int(value)
    except Exception:
        return None
