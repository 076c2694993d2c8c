"""Records the norms of the last steps of each watched function; runs in the user's process.

Invariant: a record is written at a capture, at the end, and at most each `PAUSE_S` seconds in between; of the first
losses also at a few steps after a trace.
"""

from __future__ import annotations

import math
import time
import weakref
from typing import Any, NamedTuple

from whydied.inside import journal
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.model import layer_lines
from whydied.inside.numerics import hidden_ops, waiting_frames
from whydied.inside.numerics.first_losses import AT
from whydied.inside.numerics.traced import variable_handles
from whydied.inside.numerics.traced.finite_digest import Measure
from whydied.inside.numerics.traced.finite_watch import Plan
from whydied.inside.numerics.traced.watched_tensors import Item
from whydied.inside.numerics.variable_names import Name, Names
from whydied.records import Frame, NormsSeen

PAUSE_S = 30.0
LARGEST_PLANS = 16
"""Functions of which norms are recorded at a time: the ones traced last."""
LARGEST_VALUES = 64 * 200
_KERAS = ("keras.", "tf_keras.")
_NORMS = frozenset({"gradient", "update", "weight"})
_plans: list[weakref.ref[Plan]] = []
_written: dict[int, int] = {}
_last_s = time.monotonic()
_calls = 0
"""Of functions, since one was traced."""


class _Rates(NamedTuple):
    """The learning rate of a schedule, at the first step and now."""

    first: float
    now: float


def add(plan: Plan) -> None:
    global _calls
    _calls = 0
    _plans.append(weakref.ref(plan))
    del _plans[:-200]


def called() -> None:
    """A function is about to be called."""
    global _calls
    if not _plans:
        return
    _calls += 1
    if _calls in AT:
        _write_first_losses()
    if time.monotonic() - _last_s >= PAUSE_S:
        write_all("sample")


def _write_first_losses() -> None:
    living = [plan for plan in (reference() for reference in _plans[-LARGEST_PLANS:]) if plan is not None]
    for plan in living:
        if plan.ring is not None and _loss_column(plan) is not None:
            _tell_first(plan, *plan.ring.read())


def _tell_first(plan: Plan, steps: int, rows: Any) -> None:
    loss = _loss_column(plan)
    roles = {number: _item(plan, number).role for number in _columns(plan)}
    if loss is None or not 0 < steps <= len(rows) or _NORMS.isdisjoint(roles.values()):
        return
    gradients = [number for number, role in roles.items() if role == "gradient"]
    listed = rows.tolist()
    norms = [math.hypot(*(_norm(row[number], plan.measures[number]) for number in gradients)) for row in listed]
    plan.first.write([row[loss] for row in listed], norms if gradients else [])


def _loss_column(plan: Plan) -> int | None:
    columns = [number for number in _columns(plan) if _item(plan, number).role == "loss" and _item(plan, number).direct]
    return columns[-1] if columns else None


def write_all(moment: str) -> None:
    global _last_s
    _last_s = time.monotonic()
    living = [plan for plan in (reference() for reference in _plans) if plan is not None]
    names: Names | None = None
    for plan in living[-LARGEST_PLANS:]:
        if plan.ring is None:
            continue
        steps, rows = plan.ring.read()
        if steps == 0 or _written.get(id(plan)) == steps:
            continue
        names = names or Names({key: name for one in living for key, name in one.called.items()})
        _write(plan, moment, names, steps, rows)
        plan.muted -= plan.overflows
        plan.overflows = set()


def write(plan: Plan, moment: str, names: Names) -> None:
    if plan.ring is not None:
        steps, rows = plan.ring.read()
        _write(plan, moment, names, steps, rows)


def _write(plan: Plan, moment: str, names: Names, steps: int, rows: Any) -> None:
    _written[id(plan)] = steps
    known = variable_handles.eager_handles(plan.graph)
    columns = [number for number in _columns(plan) if _item(plan, number).role in _NORMS]
    loss = _loss_column(plan)
    _tell_first(plan, steps, rows)
    rows = rows[-max(1, LARGEST_VALUES // max(1, len(columns))) :]
    items = [_item(plan, number) for number in columns]
    found = [name_of(item, names, known) for item in items]
    scale = number_of(names.loss_scale(known.values()))
    if not columns and loss is None and scale is None:
        # An evaluation has no norms, and must not stand for the training of the same name.
        return
    scheduled = _scheduled(plan)
    journal.write(
        NormsSeen(
            function=plan.function,
            names=[name.name if name is not None else "" for name in found],
            steps=list(range(steps - len(rows), steps)) if columns or loss is not None else [],
            norms=[[_norm(row[number], plan.measures[number]) for number in columns] for row in rows.tolist()]
            if columns
            else [],
            moment=moment,
            of=_of(items),
            weights=[_weight(item, known) for item in items],
            losses=[row[loss] for row in rows.tolist()] if loss is not None else [],
            scale=scale,
            learning_rate=scheduled.now if scheduled is not None else _learning_rate(plan),
            first_learning_rate=scheduled.first if scheduled is not None else None,
            frames=waiting_frames.recorded(),
            optimizer_made=_made(plan),
        )
    )


def _made(plan: Plan) -> Frame | None:
    lines = [layer_lines.optimizers.frame(reference()) for reference in plan.optimizers]
    return next((line for line in lines if line is not None), None)


def _of(items: list[Item]) -> str:
    roles = {item.role for item in items}
    return next((role for role in ("gradient", "update", "weight") if role in roles), "gradient")


def _item(plan: Plan, column: int) -> Item:
    return plan.items[plan.measures[column].items[0]]


def _columns(plan: Plan) -> list[int]:
    return [number for number, measure in enumerate(plan.measures) if measure.factor]


def _norm(half_square: float, measure: Measure) -> float:
    return math.sqrt(2.0 * half_square * measure.factor) if half_square >= 0 else half_square


def _weight(item: Item, known: dict[int, Any]) -> float | None:
    """The norm of the variable that an item belongs to; None where it is gone."""
    import numpy

    if item.target is not None:
        value = _value(item.target.variable())
    else:
        value = variable_handles.read(known.get(id(item.handle)))
    if value is None:
        return None
    flat = value.reshape(-1)
    flat = flat.astype(numpy.float32) if flat.dtype.itemsize < 4 else flat
    with numpy.errstate(all="ignore"):
        return float(numpy.sqrt(numpy.dot(flat, flat)))


def _learning_rate(plan: Plan) -> float | None:
    for reference in plan.optimizers:
        own = instance_dict(reference())
        for value in (own.get("_learning_rate"), own.get("_current_learning_rate"), _hyper_rate(own)):
            found = number_of(value)
            if found is not None:
                return found
    return None


def _scheduled(plan: Plan) -> _Rates | None:
    """Only a schedule of Keras' own is asked. One that the program wrote would be the program's code."""
    for reference in plan.optimizers:
        own = instance_dict(reference())
        schedule, steps = own.get("_learning_rate"), own.get("_iterations")
        schedule = _hyper_rate(own) if schedule is None else schedule
        step = number_of(own.get("iterations") if steps is None else steps)
        if schedule is None or step is None or not _is_schedule(type(schedule)):
            continue
        try:
            with hidden_ops.eagerly():
                return _Rates(float(schedule(0)), float(schedule(int(step))))
        except (hidden_ops.NotEager, TypeError, ValueError):
            continue
    return None


def _hyper_rate(own: dict[str, Any]) -> Any:
    """Where Keras 2's first optimizers keep it."""
    hyper = own.get("_hyper")
    return hyper.get("learning_rate") if isinstance(hyper, dict) else None


def _is_schedule(kind: type) -> bool:
    return kind.__module__.startswith(_KERAS) and any(base.__name__ == "LearningRateSchedule" for base in kind.__mro__)


def number_of(value: Any) -> float | None:
    if isinstance(value, (int, float)):
        return float(value)
    array = _value(value)
    return float(array) if array is not None and array.size == 1 and array.dtype.kind in "iufV" else None


def _value(variable: Any) -> Any:
    """The value of a variable of TensorFlow or Keras."""
    from whydied.inside.numerics.variable_names import handle_of

    handle = handle_of(variable) if variable is not None else None
    return variable_handles.read(handle) if handle is not None else None


def name_of(item: Item, names: Names, known: dict[int, Any]) -> Name | None:
    """The variable that a watched value belongs to."""
    if item.target is not None:
        variable = item.target.variable()
        found = names.of_variable(variable) if variable is not None else None
        return found or Name(item.target.name, "weight")
    if item.handle is not None:
        return names.of(known.get(id(item.handle)))
    return None
