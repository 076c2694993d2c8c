"""Traces a step so that it can be told for any number of rows, and gathers what a prediction of its memory needs; runs
in the user's process.

Invariant: the step does not run, but where somebody calls what `CallableStep.prepared` gives. Tracing makes what the
first step would make (weights of an unbuilt model, the slots of an optimizer), so that what is measured afterwards is
what the step finds.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple

from whydied.graph import marked_batch, op_table, traced_step
from whydied.graph.op_table import Dims
from whydied.graph.traced_step import AllocatorState, Place, TracedStep
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.model.final_graph import FinalStep, final_step, plain_step
from whydied.inside.preflight import allocator_probe, data_pipeline, process_sizes
from whydied.inside.preflight.process_sizes import CALIBRATION_ROWS
from whydied.inside.preflight.step_arguments import Arguments, shape_of
from whydied.inside.preflight.step_files import write_file
from whydied.inside.preflight.untraced_reasons import NotTraceable, OwnBatchOnly, told

LONGEST_RETRACE_S = 5.0
DEFAULT_BATCH = 32
"""What Keras takes where the program does not say."""


class CallableStep(NamedTuple):
    """`function` is the program's, `concrete` its trace with the types of `arguments`; where Python runs the step op by
    op, `eager` does so. What TensorFlow makes of it is not known yet. `refused` says why the trace is for the program's
    own batch only."""

    function: Any
    concrete: Any
    arguments: Arguments
    keras: FrameType | None
    eager: Any
    refused: str
    peak_tensor_bytes: int
    """The allocator's peak after the trace: what TensorFlow computes while it makes the graph ready does not count."""
    began_s: float
    trace_s: float

    @property
    def batch(self) -> int | None:
        """The rows that the program gives; None where only an iterator knows them."""
        return self.arguments.batch

    def traced(self) -> Traced:
        """With the graph that TensorFlow would run."""
        seen: dict[str, int] = {}
        final = final_step(self.concrete, self._ask, lambda: seen.update(process_sizes.sizes()))
        return Traced(final, _step(self, seen), self)

    def traced_only(self) -> Traced:
        """As the program wrote it, for a step that Python runs op by op: nothing is rewritten."""
        seen = process_sizes.sizes()
        return Traced(plain_step(self.concrete), _step(self, seen), self)

    def _ask(self) -> None:
        given, named = self.arguments.untouched()
        self.concrete(*given, **named)

    @property
    def is_traced_again(self) -> bool:
        """Whether the trace has marked rows, so that real steps need one of their own."""
        return self.eager is None and bool(self.arguments.rows)

    def prepared(self, rows: int) -> Callable[[], Any]:
        """What runs a step of so many rows of zeros; all that is not the step is done before. Raises OwnBatchOnly."""
        arguments, run = self.arguments, self.eager or self.concrete
        if self.eager is not None:
            arguments = arguments.with_rows(rows)
        elif self.refused:
            if rows != self.batch:
                raise OwnBatchOnly(f"it takes no other batch than its own ({self.refused})")
        elif arguments.rows and arguments.rows != rows:
            arguments = arguments.with_rows(rows)
            specs, named = arguments.specs()
            run = self.function.get_concrete_function(*specs, **named)
        args, kwargs = arguments.drawn(rows)
        return functools.partial(run, *args, **kwargs)

    def call(self, rows: int) -> Any:
        """A step of so many rows of zeros, which are made anew as the program's own are. Raises OwnBatchOnly."""
        return self.prepared(rows)()


class Traced(NamedTuple):
    final: FinalStep
    step: TracedStep
    made: CallableStep


def trace(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], keras: FrameType | None) -> Traced | None:
    """None where the function is not a step. `keras` is the frame of the call into Keras that it belongs to. Raises
    NotTraceable."""
    found = callable_step(function, args, kwargs, keras)
    return found.traced() if found is not None else None


def callable_step(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    keras: FrameType | None,
    *,
    eager: Any = None,
    rows: int = 0,
) -> CallableStep | None:
    """None where the function is not a step; where a step is run by Python, `eager` does so. With `rows` the trace is
    for so many where it does not leave that open, and for any other number of them it is made again. Raises
    NotTraceable."""
    tensorflow: Any = sys.modules["tensorflow"]
    arguments = Arguments(args, kwargs, tensorflow, rows)
    began = time.perf_counter()
    concrete, refused = _concrete(function, arguments)
    if concrete is not None and arguments.rows and not rows and _is_ambiguous(concrete.graph, arguments.rows):
        arguments = arguments.with_other_rows()
        concrete, refused = _concrete(function, arguments)
    if concrete is None:
        raise NotTraceable(refused)
    if keras is None and not any(getattr(one, "trainable", False) for one in concrete.graph.variables):
        return None
    trace_s = time.perf_counter() - began
    peak = allocator_probe.peak_bytes()
    return CallableStep(function, concrete, arguments, keras, eager, refused, peak, began, trace_s)


def untraced(function: Any, args: tuple[Any, ...]) -> tuple[int | None, Any]:
    """The rows of the batch among the arguments, and how to call the function with so many rows of zeros."""
    arguments = Arguments(args, {}, sys.modules["tensorflow"])

    def call(rows: int) -> Any:
        given, _ = arguments.with_rows(rows).drawn(rows)
        return function(*given)

    return arguments.batch, call


def _concrete(function: Any, arguments: Arguments) -> tuple[Any, str]:
    """The trace, and why it is not one for any number of rows."""
    try:
        args, kwargs = arguments.specs()
        return function.get_concrete_function(*args, **kwargs), ""
    except Exception as error:
        refused = told(error)
    # A step that must know its batch: traced with the one it has.
    arguments.fix()
    try:
        args, kwargs = arguments.specs()
        return function.get_concrete_function(*args, **kwargs), refused
    except Exception as error:
        return None, told(error)


def _is_ambiguous(graph: Any, rows: int) -> bool:
    """Whether something else in a traced graph has the size that is to tell the rows."""
    shapes = [one.shape for op in graph.get_operations() for one in op.outputs]
    known = [tuple(shape) for shape in shapes if shape.rank]
    # A variable has no rows at all.
    known += [(rows, *one.shape) for one in graph.variables]
    return any(marked_batch.is_ambiguous(shape, rows) for shape in known)


def _step(made: CallableStep, sizes: dict[str, int]) -> TracedStep:
    tensorflow: Any = sys.modules["tensorflow"]
    leaves, batch, keras = made.arguments.leaves, made.batch, made.keras
    iterator = next((one for one in leaves if isinstance(one, tensorflow.data.Iterator)), None)
    kind = keras.f_code.co_name if keras is not None else "function"
    names = of_library(keras) if keras is not None else {}
    model = names.get("self")
    begun, feeding = False, "pipeline"
    if iterator is None:
        given = [shape for one in leaves if (shape := shape_of(one))]
        eager = any(type(one).__name__ == "EagerTensor" and one.shape.rank for one in leaves)
        iterator = data_pipeline.running_for(given) if eager else None
        begun = iterator is not None
        feeding = "pipeline" if begun else "held" if eager else "call"
    pipeline = data_pipeline.of_iterator(iterator) if iterator is not None else None
    shapes, dtypes = _input_types(leaves, iterator if not begun else None, tensorflow)
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
        trace_s=round(made.trace_s, 3),
        traced_rows=made.arguments.rows,
        fixed_because=made.refused,
    )


def _input_types(leaves: list[Any], iterator: Any, tensorflow: Any) -> tuple[list[Dims | None], list[str]]:
    if iterator is not None:
        flat = [one for one in tensorflow.nest.flatten(iterator.element_spec) if isinstance(one, tensorflow.TensorSpec)]
        shapes = [tuple(one.shape.as_list()) if one.shape.rank is not None else None for one in flat]
        return list(shapes), [str(one.dtype.name) for one in flat]
    tensors = [(shape, one) for one in leaves if (shape := shape_of(one)) is not None]
    dtypes = [str(tensorflow.dtypes.as_dtype(one.dtype).name) for _, one in tensors]
    return [shape for shape, _ in tensors], dtypes


def _all_rows(x: Any) -> int | None:
    while isinstance(x, list | tuple | dict) and x:
        x = next(iter(x.values())) if isinstance(x, dict) else x[0]
    shape = shape_of(x) if x is not None else None
    return shape[0] if shape else None


def write(found: Traced, place: Place | None, *, calibrated: bool) -> None:
    """Write the facts, and at last those that change something."""
    import msgspec

    write_file(traced_step.TABLE_FILE, op_table.encode(found.final.table))
    allocator = _allocator(found)
    step = msgspec.structs.replace(found.step, place=place, allocator=allocator, uncounted=allocator is None)
    step = msgspec.structs.replace(step, spent_s=_spent_s(found))
    write_file(traced_step.STEP_FILE, traced_step.encode(step))
    if calibrated:
        step = msgspec.structs.replace(step, **_calibrated(found))
        step = msgspec.structs.replace(step, spent_s=_spent_s(found))
        write_file(traced_step.STEP_FILE, traced_step.encode(step))


def _spent_s(found: Traced) -> float:
    return round(time.perf_counter() - found.made.began_s, 3)


def _allocator(found: Traced) -> AllocatorState | None:
    import msgspec

    state = allocator_probe.state(found.final.variables)
    return msgspec.structs.replace(state, peak_bytes=found.made.peak_tensor_bytes) if state is not None else None


def _calibrated(found: Traced) -> dict[str, Any]:
    """A real step of a tiny batch, or why there is none: what is predicted without it is nearly as good."""
    made = found.made
    if made.refused and made.eager is None:
        return {"not_calibrated": "the step cannot be traced with fewer rows"}
    if made.is_traced_again and made.trace_s > LONGEST_RETRACE_S:
        return {"not_calibrated": f"a step of fewer rows has to be traced again, which took {made.trace_s:.0f} s"}
    return process_sizes.calibrated(lambda: made.prepared(CALIBRATION_ROWS))
