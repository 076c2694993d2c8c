"""Stages of `tf.data` that hold elements: shuffle, cache, prefetch, parallel map, and the tensors that each data set of
an `interleave` begins with; runs in the user's process.

Invariant: a stage is seen where TensorFlow's own function makes it, and only its description is read: nothing
is iterated. At most `LARGEST_RECORDS` are recorded.
"""

from __future__ import annotations

from types import FrameType, ModuleType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest import frameless, guard
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.model import layer_lines
from whydied.records import DatasetMade

LARGEST_RECORDS = 500
_LONGEST_CHAIN = 20
_SAME_NUMBER = frozenset({"_MapDataset", "_ParallelMapDataset", "_ShuffleDataset", "_PrefetchDataset", "CacheDataset"})
_BATCHES = frozenset({"_BatchDataset", "_ParallelBatchDataset"})
_STAGES = {"shuffle_op": "_ShuffleDataset", "cache_op": "CacheDataset", "prefetch_op": "_PrefetchDataset"}
_KINDS = {"_ShuffleDataset": "shuffle", "CacheDataset": "cache", "_PrefetchDataset": "prefetch"}
_INTERLEAVE = "_interleave"
_made = 0


def hook_stage(module: ModuleType) -> None:
    name = _STAGES[module.__name__.rpartition(".")[2]]
    with guard.limits("datasets"):
        frameless.before_method(getattr(module, name), "__init__", _begun)


@guarded("datasets.begun")
def _begun(dataset: Any, frame: FrameType) -> None:
    """`frame` is that of `_shuffle`, `_cache` or `_prefetch`."""
    names = of_library(frame)
    source = names.get("input_dataset")
    if source is None:
        return
    if type(dataset).__name__ == "CacheDataset" and names.get("filename") not in ("", None):
        # A cache with a name keeps its elements in a file, which only one may write at a time.
        layer_lines.caches.note(dataset, frame)
        return
    kind = _KINDS.get(type(dataset).__name__, "shuffle")
    _record(kind, frame, source, getattr(source, "element_spec", None), names.get("buffer_size"))


def hook_slices(module: ModuleType) -> None:
    with guard.limits("datasets"):
        frameless.before_method(module._TensorSliceDataset, "__init__", _sliced)


@guarded("datasets.sliced")
def _sliced(dataset: Any, frame: FrameType) -> None:
    """Tensors that are computed for each of several data sets that are open at a time: each has its own. `frame` is
    that of `_from_tensor_slices`."""
    if _copies(frame) > 1:
        from tensorflow import TensorSpec, nest

        parts = nest.flatten(of_library(frame).get("tensors"))
        specs = [TensorSpec(part.shape, part.dtype) for part in parts if hasattr(part, "op")]
        if specs:
            _record("tensors", frame, None, specs, 1)


def hook_parallel(module: ModuleType) -> None:
    """A parallel map, when all of it is there but the base: what its function gives is known only then."""
    with guard.limits("datasets"):
        frameless.before_method(module.UnaryDataset, "__init__", _mapped)


@guarded("datasets.mapped")
def _mapped(dataset: Any, frame: FrameType) -> None:
    own = instance_dict(dataset)
    if type(dataset).__name__ == "_ParallelMapDataset" and "_map_func" in own:
        source = own.get("_input_dataset")
        _record("map", frame, source, own["_map_func"].output_structure, own.get("_num_parallel_calls"))


def _record(kind: str, frame: FrameType, source: Any, spec: Any, buffer_size: Any) -> None:
    global _made
    user = journal.frames(frame) if _made < LARGEST_RECORDS else []
    if not user:
        return
    _made += 1
    journal.write(
        DatasetMade(
            kind=kind,
            frames=user,
            buffer_size=_number(buffer_size),
            elements=elements(source),
            element_bytes=_bytes(spec, _batch(source)),
            element_spec=str(spec)[:500],
            copies=_copies(frame),
        )
    )


def _copies(frame: FrameType | None) -> int:
    """As many data sets as the `interleave` whose function is being traced has open at a time, and those around it."""
    number = 1
    while frame is not None:
        if frame.f_code.co_name == _INTERLEAVE:
            number *= max(1, _number(of_library(frame).get("cycle_length")) or 1)
        frame = frame.f_back
    return number


def _number(value: Any) -> int | None:
    """A buffer's size. Negative is "automatic", which stays small."""
    number = _plain(value)
    return number if number is not None and number >= 0 else None


def elements(dataset: Any) -> int | None:
    """How many elements there are, read off the stages before: asking TensorFlow would run an op, and change the
    numbers in the names that it gives afterwards."""
    batch = 1
    for _ in range(_LONGEST_CHAIN):
        own, name = instance_dict(dataset), type(dataset).__name__
        if name in _BATCHES:
            batch *= _number(own.get("_batch_size")) or 1
        elif name not in _SAME_NUMBER:
            first = _first_stage(own, name)
            return -(-first // batch) if first is not None else None
        dataset = own.get("_input_dataset")
    return None


def _first_stage(own: dict[str, Any], name: str) -> int | None:
    if name == "_TensorSliceDataset" and own.get("_tensors"):
        rows = own["_tensors"][0].shape.as_list()[:1]
        return rows[0] if rows else None
    if name == "_RangeDataset":
        start, stop, step = (_plain(own.get(f"_{part}")) for part in ("start", "stop", "step"))
        return len(range(start, stop, step)) if start is not None and stop is not None and step else None
    return None


def _plain(value: Any) -> int | None:
    """The value of a tensor that is there, or of a constant of a graph: nothing is computed for it."""
    known = _value(value)
    return known if known is not None else _constant(value)


@guard.otherwise(None)
def _value(value: Any) -> int | None:
    return int(value)


@guard.otherwise(None)
def _constant(value: Any) -> int | None:
    """Stages inside of a function that is being traced, such as that of an `interleave`, have their numbers there."""
    if value.op.type != "Const":
        return None
    held = value.op.get_attr("value")
    return int([*held.int64_val, *held.int_val][0])


def _batch(dataset: Any) -> int | None:
    """The rows of a batch, where the elements are batches: only the last of them may be smaller."""
    for _ in range(_LONGEST_CHAIN):
        own, name = instance_dict(dataset), type(dataset).__name__
        if name in _BATCHES:
            return _number(own.get("_batch_size"))
        if name not in _SAME_NUMBER:
            return None
        dataset = own.get("_input_dataset")
    return None


def _bytes(spec: Any, batch: int | None = None) -> int | None:
    """The size of one element, where all of its shapes are known; an open first axis has the rows of a batch."""
    from tensorflow import nest

    total = 0
    for part in nest.flatten(spec):
        shape, dtype = getattr(part, "shape", None), getattr(part, "dtype", None)
        elements = shape.num_elements() if shape is not None and shape.rank is not None else None
        if elements is None and batch and shape is not None and shape.rank and shape.as_list()[0] is None:
            rest = shape[1:].num_elements()
            elements = batch * rest if rest is not None else None
        if elements is None or dtype is None or dtype.name in ("string", "variant", "resource"):
            return None
        total += elements * dtype.size
    return total
