"""What the program was doing when memory ran out: the step or call, what it got, and what was there before it. Pure."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.finding import Location
from whydied.diagnose.memo import once
from whydied.diagnose.memory.memory_over_time import baseline_bytes, memory_series, own_peak_bytes
from whydied.records import BatchChosen, CallBegan, CallEnded, Frame, FunctionTraced, InputsSeen, LineSampled, StepBegan

KERAS = {"fit": "train", "evaluate": "test", "predict": "predict"}
ON_BATCH = {"train_on_batch": "train", "test_on_batch": "test", "predict_on_batch": "predict"}
REFUSALS = ("MemoryError", "_ArrayMemoryError", "ResourceExhaustedError")
DEFAULT_ROWS = 32
"""What Keras takes for a batch where nobody said."""


class RunningCall(NamedTuple):
    """A step or a call that was running at the end. `kind` is the Keras method, "call" (a model called eagerly),
    "function" or "session"; `rows` and `shapes` are those of its batch, `all_rows` those of the data it takes them
    from; `number` counts the calls at that place, this one included; `done` is how many of its kind ended before it
    with the same shapes; `earlier` is what calls before it got. `before_bytes` is the memory of the process when the
    first of them began, `grown_bytes` what was taken from there to the end."""

    kind: str
    place: Location
    began_s: float
    trains: bool
    name: str
    rows: int | None
    all_rows: int | None
    shapes: list[list[int]]
    arguments: list[str]
    size_bytes: int
    number: int
    done: int
    earlier: list[InputsSeen]
    before_bytes: int
    grown_bytes: int
    call: CallBegan | None
    batched_by_default: bool = False


@once
def running_call(case: Case) -> RunningCall | None:
    """The innermost step or call that was running when the main thread was last seen."""
    if not ran_out(case):
        return None
    stack = _last_stack(case)
    if not stack:
        return None
    keras, inputs = _keras(case, stack), _inputs(case, stack)
    if keras is None or inputs is None:
        return keras or inputs
    if _within(case, keras):
        # What Keras itself calls for its step tells the shapes that it really got.
        return keras._replace(rows=inputs.rows, shapes=inputs.shapes, size_bytes=inputs.size_bytes)
    return max(keras, inputs, key=lambda running: running.began_s)


def ran_out(case: Case) -> bool:
    """Whether the run can have ended for want of memory: a program that finished, that still runs or that somebody
    stopped had enough, whatever it grew, and one that ended by another exception ended by that."""
    if case.is_running or case.was_stopped:
        return False
    if case.uncaught is not None:
        return any(link.type in REFUSALS for link in case.uncaught.chain)
    return case.exit_code != 0


def own_bytes(case: Case) -> int:
    """What the process held above its libraries when it held the most."""
    return max(1, own_peak_bytes(case) - baseline_bytes(case))


def rss_at(case: Case, at_s: float) -> int:
    """The memory of the process when last seen before a moment, from inside or outside."""
    seen = _seen(case)
    index = bisect.bisect_right(seen, (at_s, float("inf")))
    return seen[max(0, index - 1)][1] if seen else 0


@once
def _seen(case: Case) -> list[tuple[float, int]]:
    inside = case.records.timed(LineSampled)
    return sorted([*memory_series(case), *((at, line.rss_bytes) for at, line in inside if line.rss_bytes)])


def _ran_from(case: Case, steps_s: list[float]) -> float:
    """When the first of some steps began to compute: before that it is traced and optimised, which takes memory of
    its own. Seen by TensorFlow's allocator, else by the last trace."""
    began_s, until_s = steps_s[0], steps_s[1] if steps_s[1:] else float("inf")
    traces = [at for at, _ in case.records.timed(FunctionTraced) if began_s <= at < until_s]
    traced = max(traces, default=began_s)
    counted = [
        (at, line.allocator_bytes) for at, line in case.records.timed(LineSampled) if line.allocator_bytes is not None
    ]
    # The level before the step: what is seen after it may be a chunk of the step's own that is not touched yet.
    level = next((size for at, size in reversed(counted) if at <= traced), None)
    if level is None:
        return traced
    return max((at for at, size in counted if traced <= at < until_s and size <= level), default=traced)


def _last_stack(case: Case) -> list[Frame]:
    """The user's frames at the end: of the exception where one was raised, else when last seen."""
    raised = case.uncaught
    if raised is not None:
        for link in raised.chain:
            mine = [frame for frame in link.frames if frame.user]
            if mine:
                return mine
    return case.records.user_frames


def _at(case: Case, frame: Frame, stack: Sequence[Frame]) -> bool:
    """Whether a stack passes through the statement of a frame."""
    wanted = case.locate(frame)
    for step in stack:
        if step.file == frame.file and step.function == frame.function:
            place = case.locate(step)
            if place.line == wanted.line:
                return True
    return False


def _keras(case: Case, stack: Sequence[Frame]) -> RunningCall | None:
    """The innermost call into Keras that had not ended, once its steps began."""
    begun = {call.call: at for at, call in case.records.timed(CallBegan)}
    for call in reversed(_unfinished(case)):
        if call.kind not in KERAS and call.kind not in ON_BATCH:
            continue
        if not call.frames or not _at(case, call.frames[-1], stack):
            continue
        steps = [(at, step) for at, step in case.records.timed(StepBegan) if step.call == call.call]
        if not steps and call.kind in KERAS:
            return None
        at_s = steps[-1][0] if steps else begun[call.call]
        ran_s = _ran_from(case, [at for at, _ in steps] or [at_s])
        return _of_call(case, call, at_s, ran_s, max(0, len(steps) - 1))
    return None


def _unfinished(case: Case) -> list[CallBegan]:
    """Calls that had not ended, or that the exception at the end left."""
    left = {ended.call for ended in case.records.all(CallEnded) if ended.raised} if case.uncaught else set()
    calls = [call for call in case.records.all(CallBegan) if call.call in left]
    return sorted([*case.records.open_calls, *calls], key=lambda call: call.call)


def _of_call(case: Case, call: CallBegan, at_s: float, ran_s: float, done: int) -> RunningCall:
    data = call.arguments.get("x") or {}
    shape = _first_shape(data)
    all_rows = shape[0] if shape and shape[0] is not None else None
    given = call.arguments.get("batch_size")
    pipeline = chosen_by(case, None, at_s)
    if call.kind in ON_BATCH:
        rows = all_rows
    elif given is not None:
        rows = min(given, all_rows) if all_rows else given
    else:
        told = _spec_rows(data) or (pipeline.rows if pipeline else None) or _generated_rows(case, data)
        rows = min(DEFAULT_ROWS, all_rows) if all_rows else told
    rest = [extent for extent in (shape or [])[1:] if extent is not None]
    shapes = [[rows, *rest]] if rows and shape and len(rest) == len(shape) - 1 else []
    batches = [one for one in case.records.all(InputsSeen) if one.unit == "batch"] if call.kind in ON_BATCH else []
    before = rss_at(case, ran_s)
    return RunningCall(
        kind=call.kind,
        place=case.locate(call.frames[-1]),
        began_s=at_s,
        trains=(KERAS | ON_BATCH)[call.kind] == "train",
        name=call.model,
        rows=rows,
        all_rows=all_rows,
        shapes=shapes,
        arguments=["x"],
        size_bytes=batches[-1].size_bytes if batches else _bytes_of(data),
        number=max(done + 1, batches[-1].count if batches else 0),
        done=done,
        earlier=[one for at, one in case.records.timed(InputsSeen) if at < at_s],
        before_bytes=before,
        grown_bytes=max(0, own_peak_bytes(case) - before),
        call=call,
        batched_by_default=given is None and all_rows is not None and call.kind in KERAS,
    )


def _within(case: Case, keras: RunningCall) -> bool:
    """Whether the last recorded inputs are those of a step inside a call of Keras."""
    seen = [one for one in case.records.all(InputsSeen) if one.unit in ("call", "function", "session")]
    return bool(seen) and any(
        frame.file == keras.place.file and case.locate(frame).line == keras.place.line for frame in seen[-1].frames
    )


def _inputs(case: Case, stack: Sequence[Frame]) -> RunningCall | None:
    """The last recorded inputs, where that call, or the training step that it belongs to, still ran."""
    seen = [(at, one) for at, one in case.records.timed(InputsSeen) if one.unit in ("call", "function", "session")]
    if not seen or not seen[-1][1].frames:
        return None
    at_s, last = seen[-1]
    frame = last.frames[-1]
    inside = _at(case, frame, stack)
    # A tape keeps what the call made: the gradient on a later line of the same function is the same step.
    same_step = last.taped and any(one.file == frame.file and one.function == frame.function for one in stack)
    if not (inside or same_step):
        return None
    unit = {"call": "apply"}.get(last.unit, last.unit)
    steps = [at for at, step in case.records.timed(StepBegan) if step.unit == unit and at >= at_s]
    leading = next((shape for shape in last.shapes if shape), None)
    before = rss_at(case, _ran_from(case, [at_s, *steps[1:2]]))
    return RunningCall(
        kind=last.unit,
        place=case.locate(frame),
        began_s=steps[-1] if steps else at_s,
        trains=last.taped,
        name=last.name,
        rows=leading[0] if leading else None,
        all_rows=None,
        shapes=last.shapes,
        arguments=last.arguments,
        size_bytes=last.size_bytes,
        number=last.count,
        # A function's own step is counted when it begins, an optimizer's update when it ends.
        done=max(0, len(steps) - (0 if last.unit == "call" else 1)),
        earlier=[one for _, one in seen[:-1]],
        before_bytes=before,
        grown_bytes=max(0, own_peak_bytes(case) - before),
        call=None,
    )


def _bytes_of(data: Any) -> int:
    return int(data.get("bytes") or 0) if isinstance(data, dict) else 0


def _first_shape(data: Any) -> list[int | None] | None:
    """The shape of the first array in what was passed as data."""
    if not isinstance(data, dict):
        return None
    shape = data.get("shape")
    if isinstance(shape, list) and shape:
        return shape
    parts = data.get("parts")
    values = parts.values() if isinstance(parts, dict) else parts if isinstance(parts, list) else []
    return next((found for part in values if (found := _first_shape(part))), None)


def chosen_by(case: Case, rows: int | None, before_s: float) -> BatchChosen | None:
    """The last pipeline that was told to make batches of so many rows (of any, where that is not known)."""
    told = case.records.timed(BatchChosen)
    return next((one for at, one in reversed(list(told)) if at <= before_s and rows in (None, one.rows)), None)


def _generated_rows(case: Case, data: Any) -> int | None:
    """The rows of the batches that Python gives, one element each: all parts of it have as many."""
    if not isinstance(data, dict) or "element_spec" in data:
        return None
    parts: dict[str, int] = {}
    for one in case.records.all(InputsSeen):
        if one.unit == "generator" and one.shapes and one.shapes[0]:
            parts[one.arguments[0]] = one.shapes[0][0]
    return parts["0"] if len(parts) > 1 and len(set(parts.values())) == 1 and "0" in parts else None


def _spec_rows(data: Any) -> int | None:
    """The rows that a data set says it has in each batch."""
    text = str(data.get("element_spec", "")) if isinstance(data, dict) else ""
    found = re.search(r"shape=\((\d+),", text)
    return int(found[1]) if found else None
