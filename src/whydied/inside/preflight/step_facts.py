"""Traces a step so that it can be told for any number of rows, and gathers what a prediction of its memory needs; runs
in the user's process.

Invariant: the step does not run. Tracing makes what the first step would make (weights of an unbuilt model, the slots
of an optimizer), so that what is measured afterwards is what the step finds.
"""

from __future__ import annotations

import sys
import time
from types import FrameType
from typing import Any, NamedTuple

from whydied.errors import WhydiedError
from whydied.graph import marked_batch, op_table, traced_step
from whydied.graph.op_table import Dims
from whydied.graph.traced_step import AllocatorState, Calibration, Place, TracedStep
from whydied.inside.guest.frame_variables import of_library
from whydied.inside.model.final_graph import FinalStep, final_step
from whydied.inside.preflight import allocator_probe, data_pipeline
from whydied.inside.preflight.step_arguments import Arguments, shape_of
from whydied.inside.preflight.step_files import write_file
from whydied.linux import proc

CALIBRATION_ROWS = 2
TRIAL_STEPS = 3
_CLEAR_PEAK = "5"
LONGEST_RETRACE_S = 5.0
LONGEST_REASON = 500
DEFAULT_BATCH = 32
"""What Keras takes where the program does not say."""


class NotTraceable(WhydiedError):
    """TensorFlow refuses to trace the step; the text is its own."""


class Traced(NamedTuple):
    """`function` is the program's, `concrete` its trace with the types of `arguments`."""

    final: FinalStep
    step: TracedStep
    function: Any
    concrete: Any
    arguments: Arguments
    peak_tensor_bytes: int
    """The allocator's peak after the trace: what TensorFlow computes while it makes the graph ready does not count."""
    began_s: float


def trace(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], keras: FrameType | None, rows: int = 0
) -> Traced | None:
    """None where the function is not a step. `keras` is the frame of the call into Keras that it belongs to. With
    `rows` the trace is for so many where it does not leave that open. Raises NotTraceable."""
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
    spent = time.perf_counter() - began
    sizes = {"rss": 0, "most": 0, "mapped": 0, "tensors": allocator_probe.peak_bytes()}

    def call() -> None:
        given, named = arguments.untouched()
        concrete(*given, **named)

    def made() -> None:
        sizes["rss"], sizes["most"], sizes["mapped"] = _status(b"VmRSS"), _status(b"VmHWM"), _status(b"RssFile")

    final = final_step(concrete, call, made)
    step = _step(arguments, keras, sizes, spent, refused)
    return Traced(final, step, function, concrete, arguments, sizes["tensors"], began)


def _concrete(function: Any, arguments: Arguments) -> tuple[Any, str]:
    """The trace, and why it is not one for any number of rows."""
    try:
        args, kwargs = arguments.specs()
        return function.get_concrete_function(*args, **kwargs), ""
    except Exception as error:
        refused = _told(error)
    # A step that must know its batch: traced with the one it has.
    arguments.fix()
    try:
        args, kwargs = arguments.specs()
        return function.get_concrete_function(*args, **kwargs), refused
    except Exception as error:
        return None, _told(error)


def _is_ambiguous(graph: Any, rows: int) -> bool:
    """Whether something else in a traced graph has the size that is to tell the rows."""
    shapes = [one.shape for op in graph.get_operations() for one in op.outputs]
    known = [tuple(shape) for shape in shapes if shape.rank]
    # A variable has no rows at all.
    known += [(rows, *one.shape) for one in graph.variables]
    return any(marked_batch.is_ambiguous(shape, rows) for shape in known)


def _told(error: Exception) -> str:
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    # What AutoGraph raises again has the type in its text.
    text, kind = lines[-1] if lines else "", type(error).__name__
    return (text if text.startswith(kind) else f"{kind}: {text}")[:LONGEST_REASON]


def run_trial(found: Traced, rows: int) -> None:
    """Real steps of so many rows of zeros, under a limit that may not let them end."""
    given = None
    args, kwargs = found.arguments.drawn(rows)
    for _ in range(TRIAL_STEPS):
        given = found.concrete(*args, **kwargs)
    del given
    write_file(traced_step.TRIAL_FILE, str(rows).encode())


def _step(
    arguments: Arguments, keras: FrameType | None, sizes: dict[str, int], spent: float, refused: str
) -> TracedStep:
    tensorflow: Any = sys.modules["tensorflow"]
    leaves, batch = arguments.leaves, arguments.batch
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
        trace_s=round(spent, 3),
        traced_rows=arguments.rows,
        fixed_because=refused,
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
    step = msgspec.structs.replace(found.step, place=place, allocator=_allocator(found))
    step = msgspec.structs.replace(step, spent_s=_spent_s(found))
    write_file(traced_step.STEP_FILE, traced_step.encode(step))
    if calibrated:
        step = msgspec.structs.replace(step, **_calibrated(found))
        step = msgspec.structs.replace(step, spent_s=_spent_s(found))
        write_file(traced_step.STEP_FILE, traced_step.encode(step))


def _spent_s(found: Traced) -> float:
    return round(time.perf_counter() - found.began_s, 3)


def _allocator(found: Traced) -> AllocatorState | None:
    import msgspec

    state = allocator_probe.state(found.final.variables)
    return msgspec.structs.replace(state, peak_bytes=found.peak_tensor_bytes) if state is not None else None


def _calibrated(found: Traced) -> dict[str, Any]:
    """A real step of a tiny batch, or why there is none: what is predicted without it is nearly as good."""
    if found.step.fixed_because:
        return {"not_calibrated": "the step cannot be traced with fewer rows"}
    if found.arguments.rows and found.step.trace_s > LONGEST_RETRACE_S:
        return {"not_calibrated": f"a step of fewer rows has to be traced again, which took {found.step.trace_s:.0f} s"}
    try:
        return {"calibration": _calibration(found)}
    except Exception as error:
        # A step of zeros may fail for reasons of its own.
        return {"not_calibrated": _told(error)}


def _calibration(found: Traced) -> Calibration:
    arguments, concrete = found.arguments, found.concrete
    if arguments.rows:
        arguments = arguments.with_rows(CALIBRATION_ROWS)
        specs, named = arguments.specs()
        concrete = found.function.get_concrete_function(*specs, **named)
    args, kwargs = arguments.drawn(CALIBRATION_ROWS)
    before = _status(b"VmRSS")
    with open("/proc/self/clear_refs", "w") as file:
        file.write(_CLEAR_PEAK)
    for _ in range(2):
        concrete(*args, **kwargs)
    return Calibration(batch=CALIBRATION_ROWS, before_bytes=before, peak_bytes=_status(b"VmHWM"))


def _status(field: bytes) -> int:
    return proc.field_bytes(proc.read("/proc/self/status"), field) or 0
