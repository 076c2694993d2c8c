"""A training step that Python runs op by op, traced from its statements; runs in the user's process.

Invariant: the step does not run, but for a calibration or a trial that was asked for, or for a few rows of zeros where
it cannot be traced.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, NamedTuple

import msgspec

from whydied.errors import WhydiedError
from whydied.graph import traced_step
from whydied.graph.traced_step import Place, TracedStep
from whydied.inside.preflight import eager_region, process_sizes, step_facts
from whydied.inside.preflight.eager_region import Region
from whydied.inside.preflight.step_facts import CallableStep
from whydied.inside.preflight.step_files import write_file
from whydied.inside.preflight.untraced_reasons import told

KIND = "eager"
FEW_ROWS = (2, 16)
_NO_UPDATE = "the update of the weights"


class NoStep(WhydiedError):
    """The statements of the step could not be found, traced or run."""


class EagerStep(NamedTuple):
    """`step` is None where it could not be traced, because of `untraced`. `call` runs it with so many rows."""

    region: Region
    step: CallableStep | None
    batch: int
    call: Any
    keras: FrameType | None
    untraced: str = ""


def found(frame: FrameType, keras: FrameType | None, *, in_graph: bool = False) -> EagerStep | None:
    """The step of the tape that this frame opens; None where it trains nothing. `keras` is the frame of the call into
    Keras that it belongs to, `in_graph` is whether the program runs it as part of a function. Raises NoStep."""
    failed, run = "", None
    for region in eager_region.regions(frame):
        try:
            step = _traced(region, keras, in_graph)
        except Exception as error:
            failed = failed or told(error)
            batch, call = step_facts.untraced(region.function, region.arguments)
            run = run or (EagerStep(region, None, batch, call, keras, failed) if batch is not None else None)
            continue
        if step is None or step.batch is None:
            return None
        return EagerStep(region, step, step.batch, step.call, keras)
    if run is None or in_graph:
        raise NoStep(failed or "its statements, from the tape to the update of the weights, were not found")
    return run


def _traced(region: Region, keras: FrameType | None, in_graph: bool) -> CallableStep | None:
    tensorflow: Any = sys.modules["tensorflow"]
    function = tensorflow.function(region.function, autograph=False)
    eager = None if in_graph else region.function
    made = step_facts.callable_step(function, region.arguments, {}, keras, eager=eager)
    if made is not None and made.batch is None:
        raise NoStep("no tensor or array that it reads from a variable has the rows of a batch")
    return made


def write(one: EagerStep, place: Place | None, *, calibrated: bool, in_graph: bool = False) -> None:
    """Raises NoStep where it could neither be traced nor, without calibration, be run."""
    if one.step is None:
        _write_measured(one, place, calibrated)
        return
    traced = one.step.traced() if in_graph else one.step.traced_only()
    step = msgspec.structs.replace(traced.step, partial="" if one.region.updates else _NO_UPDATE)
    if not in_graph:
        step = msgspec.structs.replace(step, kind=_kind(one), eager=True, results_stay=one.region.stays)
    step_facts.write(traced._replace(step=step), place, calibrated=calibrated)


def _write_measured(one: EagerStep, place: Place | None, may_run: bool) -> None:
    if not may_run:
        raise NoStep(f"{one.untraced} (without --no-run a few rows would be run instead)")
    before = process_sizes.sizes()
    # Fewer rows first: what was counted is the highest of all until then.
    rows = sorted({min(few, one.batch) for few in FEW_ROWS})
    runs = [process_sizes.measured(one.call, few) for few in rows]
    step = TracedStep(
        kind=_kind(one),
        place=place,
        batch=one.batch,
        eager=True,
        untraced=one.untraced,
        measured=runs,
        rss_bytes=before["rss"],
        most_rss_bytes=before["most"],
        mapped_bytes=process_sizes.sizes()["mapped"],
        partial="" if one.region.updates else _NO_UPDATE,
    )
    write_file(traced_step.STEP_FILE, traced_step.encode(step))


def _kind(one: EagerStep) -> str:
    return one.keras.f_code.co_name if one.keras is not None else KIND
