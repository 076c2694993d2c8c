"""The first step of a TensorFlow 1 session, read from its graph; runs in the user's process.

The graph is taken as the program made it: what TensorFlow rewrites in it before the run is not known here.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from whydied.graph import op_table, traced_step
from whydied.graph.expansion import in_gradient
from whydied.graph.op_table import Table
from whydied.graph.traced_step import Place, TracedStep
from whydied.inside.model.graph_table import TableMaker, dims
from whydied.inside.preflight.process_sizes import CALIBRATION_ROWS, calibrated
from whydied.inside.preflight.step_files import write_file
from whydied.linux import proc

_VARIABLES = ("VarHandleOp", "VariableV2", "Variable")


class SessionStep(NamedTuple):
    table: Table
    step: TracedStep


def traced(session: Any, targets: Any, fetches: Any, feeds: Any) -> SessionStep | None:
    """None where a run is not a step: an initializer, a summary, a restored value."""
    fed = {_tensor(key): _shape(value) for key, value in (feeds or {}).items()}
    wanted = [_tensor(one) for one in fetches]
    ops = [getattr(one, "op", one) for one in targets]
    table = TableMaker().of_fetches("session", session.graph, wanted, ops, fed)
    kinds = {op.type for function in table.functions for op in function.ops}
    trains = any(in_gradient(op.name) for function in table.functions for op in function.ops)
    if not trains and not (fed and kinds.intersection(_VARIABLES)):
        return None
    shapes = [shape for shape in fed.values() if shape]
    leading = max(shapes, key=len, default=None)
    status = proc.read("/proc/self/status")
    step = TracedStep(
        kind="session_run",
        batch=leading[0] if leading else 1,
        feeding="call",
        inputs=list(fed.values()),
        input_dtypes=[str(one.dtype.base_dtype.name) for one in fed],
        rss_bytes=proc.field_bytes(status, b"VmRSS") or 0,
        most_rss_bytes=proc.field_bytes(status, b"VmHWM") or 0,
        mapped_bytes=proc.field_bytes(status, b"RssFile") or 0,
    )
    return SessionStep(table, step)


def write(found: SessionStep, place: Place | None, call: Any = None) -> None:
    """`call` runs so many rows, where a calibration is wanted."""
    import msgspec

    write_file(traced_step.TABLE_FILE, op_table.encode(found.table))
    step = msgspec.structs.replace(found.step, place=place)
    write_file(traced_step.STEP_FILE, traced_step.encode(step))
    if call is not None:
        tiny = functools.partial(call, CALIBRATION_ROWS)
        step = msgspec.structs.replace(step, **calibrated(lambda: tiny))
        write_file(traced_step.STEP_FILE, traced_step.encode(step))


def resized(feeds: Any, batch: int | None, rows: int) -> Any:
    """Zeros of so many rows in the place of whatever is fed with the rows of a batch."""
    import numpy

    def value(given: Any) -> Any:
        shape = getattr(given, "shape", ())
        if not shape or shape[0] != batch or not hasattr(given, "dtype"):
            return given
        return numpy.full((rows, *shape[1:]), 0, given.dtype)

    return {key: value(given) for key, given in (feeds or {}).items()}


def _tensor(one: Any) -> Any:
    return one.deref() if hasattr(one, "deref") else one


def _shape(value: Any) -> tuple[int, ...]:
    shape = getattr(value, "shape", ())
    return tuple(extent or 1 for extent in (dims(shape) if hasattr(shape, "rank") else shape) or ())
