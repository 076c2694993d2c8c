"""Traces a step for any number of rows and gathers what a prediction of its memory needs; runs in the user's process.

Invariant: the step does not run. Tracing makes what the first step would make (weights of an unbuilt model, the slots
of an optimizer), so that what is measured afterwards is what the step finds.
"""

from __future__ import annotations

import contextlib
import sys
import time
from types import FrameType
from typing import Any, NamedTuple

from whydied.graph import op_table, traced_step
from whydied.graph.op_table import Dims
from whydied.graph.traced_step import Place, TracedStep
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.model.final_graph import FinalStep, final_step, plain_step
from whydied.inside.preflight import allocator_probe, data_pipeline
from whydied.inside.preflight.process_sizes import calibration, sizes
from whydied.inside.preflight.step_files import write_file

DEFAULT_BATCH = 32
"""What Keras takes where the program does not say."""


class Traced(NamedTuple):
    final: FinalStep
    step: TracedStep
    call: Any
    """Calls the traced function with so many rows of zeros."""


def trace(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], keras: FrameType | None) -> Traced | None:
    """None where the function is not a step. `keras` is the frame of the call into Keras that it belongs to."""
    found = callable_step(function, args, kwargs, keras)
    return found.traced() if found is not None else None


class CallableStep(NamedTuple):
    """A step that is traced for any number of rows; what TensorFlow makes of it is not known yet."""

    concrete: Any
    leaves: list[Any]
    openly: list[Any]
    batch: int | None
    keras: FrameType | None
    call: Any
    began_s: float

    def traced(self) -> Traced:
        seen: dict[str, int] = {}
        final = final_step(self.concrete, lambda: self.call(1), lambda: seen.update(sizes()))
        return Traced(final, self.facts(seen), self.call)

    def traced_only(self) -> Traced:
        """As the program wrote it, for a step that Python runs op by op: nothing is rewritten."""
        seen = sizes()
        return Traced(plain_step(self.concrete), self.facts(seen), self.call)

    def facts(self, sizes: dict[str, int]) -> TracedStep:
        spent = time.perf_counter() - self.began_s
        return _step(self.leaves, self.openly, self.batch, self.keras, sizes, spent)


def callable_step(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], keras: FrameType | None, eager: Any = None
) -> CallableStep | None:
    """None where the function is not a step. Its `call` runs or asks for the step with so many rows of zeros; where a
    step is run by Python, `eager` does so."""
    tensorflow: Any = sys.modules["tensorflow"]
    began = time.perf_counter()
    leaves, openly, batch = _arguments(args, kwargs, tensorflow)
    concrete = _concrete(function, openly, args, kwargs, tensorflow)
    if concrete is None:
        return None
    if keras is None and not any(getattr(one, "trainable", False) for one in concrete.graph.variables):
        return None

    def call(rows: int, runs: bool = False) -> Any:
        given = [_zeros(one, rows, tensorflow, runs) for one in openly]
        filled_args, filled_kwargs = tensorflow.nest.pack_sequence_as((args, kwargs), given)
        return (eager if eager is not None and runs else concrete)(*filled_args, **filled_kwargs)

    return CallableStep(concrete, leaves, openly, batch, keras, call, began)


def _arguments(args: Any, kwargs: Any, tensorflow: Any) -> tuple[list[Any], list[Any], int | None]:
    """The leaves of the arguments, the same with the batch left open, and the rows of the batch."""
    leaves = tensorflow.nest.flatten((args, kwargs))
    batch = _rows(leaves)
    return leaves, [_opened(one, batch, tensorflow) for one in leaves], batch


def untraced(function: Any, args: tuple[Any, ...]) -> tuple[int | None, Any]:
    """The rows of the batch among the arguments, and how to call the function with so many rows of zeros."""
    tensorflow: Any = sys.modules["tensorflow"]
    _, openly, batch = _arguments(args, {}, tensorflow)

    def call(rows: int) -> Any:
        given = [_zeros(one, rows, tensorflow, True) for one in openly]
        return function(*tensorflow.nest.pack_sequence_as((args, {}), given)[0])

    return batch, call


def _concrete(function: Any, openly: list[Any], args: Any, kwargs: Any, tensorflow: Any) -> Any:
    specs = [one.spec if isinstance(one, _Open) else one for one in openly]
    open_args, open_kwargs = tensorflow.nest.pack_sequence_as((args, kwargs), specs)
    try:
        return function.get_concrete_function(*open_args, **open_kwargs)
    except Exception:
        # A step that must know its batch: traced with the one it has.
        for one in openly:
            if isinstance(one, _Open):
                one.fix()
        specs = [one.spec if isinstance(one, _Open) else one for one in openly]
        open_args, open_kwargs = tensorflow.nest.pack_sequence_as((args, kwargs), specs)
        try:
            return function.get_concrete_function(*open_args, **open_kwargs)
        except Exception:
            return None


class _Open:
    """A tensor among the arguments: its type with the batch left open."""

    def __init__(self, shape: tuple[int, ...], dtype: Any, batched: bool, is_array: bool, tensorflow: Any) -> None:
        self._tensorflow = tensorflow
        self.is_array = is_array
        self.shape = shape
        self.dtype = dtype
        self.batched = batched
        self.spec = tensorflow.TensorSpec((None, *shape[1:]) if batched else shape, dtype)

    def fix(self) -> None:
        self.spec = self._tensorflow.TensorSpec(self.shape, self.dtype)


def _rows(leaves: list[Any]) -> int | None:
    """The first size of the largest argument of the highest rank."""
    shapes = [shape for one in leaves if (shape := _shape(one))]
    largest = max(shapes, key=lambda shape: (len(shape), _count(shape)), default=())
    return largest[0] if largest else None


def _count(shape: tuple[int, ...]) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count


def _shape(leaf: Any) -> tuple[int, ...] | None:
    """Of an array or an eager tensor."""
    if type(leaf).__name__ in ("EagerTensor", "ndarray") or hasattr(leaf, "__array_interface__"):
        return tuple(int(extent) for extent in leaf.shape)
    return None


def _opened(leaf: Any, batch: int | None, tensorflow: Any) -> Any:
    shape = _shape(leaf)
    if shape is not None:
        dtype = tensorflow.dtypes.as_dtype(leaf.dtype)
        is_array = type(leaf).__name__ != "EagerTensor"
        return _Open(shape, dtype, bool(shape) and shape[0] == batch, is_array, tensorflow)
    if isinstance(leaf, tensorflow.data.Iterator):
        return _opened_iterator(leaf, tensorflow)
    return leaf


def _opened_iterator(iterator: Any, tensorflow: Any) -> Any:
    """The iterator itself, or one of the same types that leaves the batch open; nothing is drawn from either."""
    spec = iterator.element_spec
    flat = tensorflow.nest.flatten(spec)
    if not all(isinstance(one, tensorflow.TensorSpec) and one.shape.rank for one in flat):
        return iterator
    if all(one.shape[0] is None for one in flat):
        return iterator
    openly = tensorflow.nest.map_structure(lambda one: tensorflow.TensorSpec((None, *one.shape[1:]), one.dtype), spec)
    return iter(tensorflow.data.Dataset.from_generator(lambda: iter(()), output_signature=openly))


def _zeros(one: Any, rows: int, tensorflow: Any, runs: bool) -> Any:
    if isinstance(one, tensorflow.data.Iterator) and runs:
        return _tiny_iterator(one, rows, tensorflow)
    if not isinstance(one, _Open):
        return one
    open_batch = one.spec.shape.rank and one.spec.shape[0] is None
    shape = (rows, *one.shape[1:]) if one.batched and open_batch else one.shape
    if one.is_array and runs and one.dtype != tensorflow.string:
        import numpy

        # Written to, because the program's own rows have memory too.
        return numpy.full(shape, 0, one.dtype.as_numpy_dtype)
    return tensorflow.zeros(shape, one.dtype) if one.dtype != tensorflow.string else tensorflow.fill(shape, "")


def _tiny_iterator(iterator: Any, rows: int, tensorflow: Any) -> Any:
    spec = iterator.element_spec

    def zeros(one: Any) -> Any:
        return tensorflow.zeros([rows, *(extent or 1 for extent in one.shape[1:])], one.dtype)

    drawn = tensorflow.nest.map_structure(zeros, spec)

    def rows_of_zeros() -> Any:
        while True:
            yield drawn

    made = tensorflow.data.Dataset.from_generator(rows_of_zeros, output_signature=spec)
    # As many batches as the program's own pipeline has alive: one is drawn, one is what is drawn from.
    ready = data_pipeline.of_iterator(iterator).ready
    return iter(made.prefetch(ready - 2) if ready > 2 else made)


def _step(
    leaves: list[Any],
    openly: list[Any],
    batch: int | None,
    keras: FrameType | None,
    sizes: dict[str, int],
    spent: float,
) -> TracedStep:
    tensorflow: Any = sys.modules["tensorflow"]
    iterator = next((one for one in leaves if isinstance(one, tensorflow.data.Iterator)), None)
    kind = keras.f_code.co_name if keras is not None else "function"
    names = of_library(keras) if keras is not None else {}
    model = names.get("self")
    begun, feeding = False, "pipeline"
    if iterator is None:
        given = [shape for one in leaves if (shape := _shape(one))]
        eager = any(type(one).__name__ == "EagerTensor" and one.shape.rank for one in leaves)
        iterator = data_pipeline.running_for(given) if eager else None
        begun = iterator is not None
        feeding = "pipeline" if begun else "held" if eager else "call"
    pipeline = data_pipeline.of_iterator(iterator) if iterator is not None else None
    shapes, dtypes = _input_types(openly, iterator if not begun else None, tensorflow)
    asked = names.get("batch_size")
    if batch is None:
        leading = {shape[0] for shape in shapes if shape}
        fixed = next((one for one in leading if one is not None), None)
        named = asked if isinstance(asked, int) else None
        batch = named or (pipeline.batch if pipeline is not None else None) or fixed or DEFAULT_BATCH
    optimizer = getattr(model, "optimizer", None)
    return TracedStep(
        kind=kind,
        batch=batch,
        feeding=feeding,
        ready=pipeline.ready if pipeline is not None else 1,
        begun=begun,
        kept_results=kind == "predict",
        inputs=[(None, *shape[1:]) if shape else shape for shape in shapes],
        input_dtypes=dtypes,
        buffered_rows=pipeline.rows if pipeline is not None else 0,
        rss_bytes=sizes["rss"],
        most_rss_bytes=sizes["most"],
        mapped_bytes=sizes["mapped"],
        optimizer=type(optimizer).__name__ if optimizer is not None and kind in ("fit", "train_on_batch") else "",
        rows=_all_rows(names.get("x")),
        trace_s=round(spent, 3),
    )


def _input_types(openly: list[Any], iterator: Any, tensorflow: Any) -> tuple[list[Dims | None], list[str]]:
    if iterator is not None:
        flat = [one for one in tensorflow.nest.flatten(iterator.element_spec) if isinstance(one, tensorflow.TensorSpec)]
        shapes = [tuple(one.shape.as_list()) if one.shape.rank is not None else None for one in flat]
        return list(shapes), [str(one.dtype.name) for one in flat]
    tensors = [one for one in openly if isinstance(one, _Open)]
    return [one.shape for one in tensors], [str(one.dtype.name) for one in tensors]


def _all_rows(x: Any) -> int | None:
    while isinstance(x, list | tuple | dict) and x:
        x = next(iter(x.values())) if isinstance(x, dict) else x[0]
    shape = _shape(x) if x is not None else None
    return shape[0] if shape else None


def write(found: Traced, place: Place | None, *, calibrated: bool) -> None:
    """Write the facts, and at last those that change something."""
    import msgspec

    write_file(traced_step.TABLE_FILE, op_table.encode(found.final.table))
    step = msgspec.structs.replace(found.step, place=place, allocator=allocator_probe.state(found.final.variables))
    write_file(traced_step.STEP_FILE, traced_step.encode(step))
    if calibrated:
        # A step of zeros may fail for reasons of its own; what is written without it is nearly as good.
        with contextlib.suppress(Exception):
            step = msgspec.structs.replace(step, calibration=calibration(lambda rows: found.call(rows, True)))
            write_file(traced_step.STEP_FILE, traced_step.encode(step))
