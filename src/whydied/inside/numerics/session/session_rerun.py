"""Which of the last runs of a session brought the values that are not finite; runs in the user's process, when
something is wrong already.

Invariant: the program's session is not changed. The updates are computed again only where nothing that they
need has a state: variables are replaced by their kept values, so that even theirs are not looked at. At most `SECONDS`
are spent.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from whydied.inside.numerics.session import session_feeds
from whydied.inside.numerics.session.session_feeds import FedRun
from whydied.inside.numerics.session.session_plan import Plan
from whydied.inside.numerics.session.session_state import State, finite, read

SECONDS = 3.0


class SuspectRun(NamedTuple):
    """A run, what it was given, and the values of its updates where they were computed again. `sure` says that it was
    found, not assumed."""

    run: FedRun
    given: list[tuple[Any, Any]]
    updates: dict[str, Any]
    rate: float | None
    sure: bool


def suspect_run(session: Any, state: State, runs: list[FedRun]) -> SuspectRun | None:
    """The first run whose data is not finite, else the first whose updates are not with the kept weights, else the
    last; None where there is none whose data is still there."""
    known = _known(runs)
    if not known:
        return None
    until = time.monotonic() + SECONDS
    for run, given in known:
        if any(value.dtype.kind == "f" and not finite(value) for _, value in given):
            updates, rate = _computed(session, state, run.course.plan, given)
            return SuspectRun(run, given, updates, rate, True)
    last = known[-1]
    updates, rate = {}, None
    for run, given in known:
        if time.monotonic() > until:
            break
        updates, rate = _computed(session, state, run.course.plan, given)
        if not updates:
            break
        if any(not finite(value) for value in updates.values()):
            return SuspectRun(run, given, updates, rate, True)
    return SuspectRun(last[0], last[1], updates if last[0] is run else {}, rate, len(runs) == 1)


def _known(runs: list[FedRun]) -> list[tuple[FedRun, list[tuple[Any, Any]]]]:
    """The runs whose data is there, of those that were fed from the same memory the last: it was filled anew."""
    found: dict[Any, tuple[FedRun, list[tuple[Any, Any]]]] = {}
    for run in runs:
        given = session_feeds.values(run)
        if given is not None:
            places = tuple(value.__array_interface__["data"][0] for _, value in given) or run.at
            found.pop(places, None)
            found[places] = (run, given)
    return list(found.values())


def _computed(
    session: Any, state: State, plan: Plan, given: list[tuple[Any, Any]]
) -> tuple[dict[str, Any], float | None]:
    """The values of a plan's updates, by tensor, and the learning rate; nothing where that would leave a trace."""
    if plan.effects or state.kept is None:
        return {}, None
    kept = {variable.node: value for variable, value in zip(state.variables, state.kept, strict=True)}
    if any(variable.node not in kept for variable in plan.variables):
        return {}, None
    fed = {tensor.name: (tensor._as_tf_output(), value) for tensor, value in given}
    replaced = [(tensor, kept[variable.node]) for variable in plan.variables for tensor in variable.fed or ()]
    replaced += [(tensor, None) for tensor in plan.random]
    # In the order of their making: what one needs to be computed is then replaced already.
    for tensor, value in sorted(replaced, key=lambda pair: pair[0].op._id):
        if tensor.name not in fed:
            substitute = _substitute(session, tensor, value, fed)
            if substitute is None:
                return {}, None
            fed[tensor.name] = (tensor._as_tf_output(), substitute)
    wanted = [update.tensor for update in plan.updates]
    values = _values(session, wanted, fed)
    if values is None:
        return {}, None
    return {tensor.name: value for tensor, value in zip(wanted, values, strict=True)}, _rate(plan)


_Fed = dict[str, tuple[Any, Any]]
"""By the name of the tensor."""


def _values(session: Any, tensors: list[Any], fed: _Fed) -> list[Any] | None:
    """TensorFlow does not give back what it is fed."""
    unknown = [tensor for tensor in tensors if tensor.name not in fed]
    found = read(session, [tensor._as_tf_output() for tensor in unknown], dict(fed.values())) if unknown else []
    if found is None:
        return None
    known = {tensor.name: value for tensor, value in zip(unknown, found, strict=True)}
    return [known[tensor.name] if tensor.name in known else fed[tensor.name][1] for tensor in tensors]


def _substitute(session: Any, tensor: Any, value: Any, fed: _Fed) -> Any:
    """What stands in for a read of a variable with this value, or for random numbers; None where nothing can."""
    import numpy

    if value is not None and tensor.op.type != "ResourceGather":
        return value
    asked = _values(session, [tensor.op.inputs[0 if value is None else 1]], fed)
    if asked is None:
        return None
    if value is None:
        draw = numpy.random.Generator(numpy.random.PCG64(0))
        drawn = draw.random(asked[0]) if tensor.op.type == "RandomUniform" else draw.standard_normal(asked[0])
        return numpy.asarray(drawn, tensor.dtype.base_dtype.as_numpy_dtype)
    indices = numpy.asarray(asked[0])
    return value[indices] if ((indices >= 0) & (indices < len(value))).all() else None


def _rate(plan: Plan) -> float | None:
    import sys

    if plan.rate is None:
        return None
    tensors: Any = sys.modules["tensorflow.python.framework.tensor_util"]
    value = tensors.constant_value(plan.rate)
    return float(value) if value is not None and value.size == 1 else None
