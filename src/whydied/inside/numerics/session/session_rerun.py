"""What the last runs of a session were fed with, and which of them brought the values that are not finite; runs in the
user's process, the second when something is wrong already.

Nothing large of the user's is kept alive. Small values are copied. A large array that owns its memory is held while all
together stay below `LARGEST_BYTES`; of a large view only the place is kept, and the array that it looks into by a weak
reference. Adding a run happens at each step of the program and costs a few microseconds. A program that fills the same
large array anew for each step shows the last values only.

Invariant: the program's session is not changed. The updates are computed again only where nothing that they
need has a state: variables are replaced by their kept values, so that even theirs are not looked at. At most `SECONDS`
are spent.
"""

from __future__ import annotations

import time
import weakref
from collections import deque
from typing import Any, NamedTuple

from whydied.inside.numerics.session.session_plan import Plan
from whydied.inside.numerics.session.session_state import State, finite, read

SECONDS = 3.0
LARGEST_BYTES = 32 << 20
LARGEST_RUNS = 256
SMALL_BYTES = 64 << 10

Feed = tuple[Any, Any, Any]
"""A reference to the fed tensor, its value or None, and for a large view the array behind it and how it lies there."""


class FedRun(NamedTuple):
    """A run that trains: its number among those of the session, the course that it is of, and what it was given."""

    at: int
    course: Any
    feeds: list[Feed]
    size_bytes: int


class Feeds:
    """Those of the last runs."""

    def __init__(self) -> None:
        self.runs: deque[FedRun] = deque(maxlen=LARGEST_RUNS)
        self._bytes = 0

    def add(self, at: int, course: Any, given: dict[Any, Any], fetched: list[tuple[Any, Any]]) -> None:
        """`given` is what the program fed, by reference to the tensor; `fetched` what TensorFlow gave to us alone."""
        feeds: list[Feed] = []
        size = 0
        for reference, value in given.items():
            count = value.nbytes
            if count <= SMALL_BYTES:
                feeds.append((reference, value.copy(), None))
                size += count
            elif value.base is None:
                feeds.append((reference, value, None))
                size += count
            else:
                feeds.append((reference, None, _place(value)))
        for tensor, value in fetched:
            size += value.nbytes
            feeds.append((tensor.ref(), value, None))
        if size > LARGEST_BYTES:
            feeds, size = [(feed[0], None, None) for feed in feeds], 0
        runs = self.runs
        if len(runs) == LARGEST_RUNS:
            self._bytes -= runs[0].size_bytes
        runs.append(FedRun(at, course, feeds, size))
        self._bytes += size
        while self._bytes > LARGEST_BYTES:
            self._bytes -= runs.popleft().size_bytes

    def clear(self) -> None:
        self.runs.clear()
        self._bytes = 0


def _fed_values(run: FedRun) -> list[tuple[Any, Any]] | None:
    """What a run was fed with, None where some of it is gone."""
    found = []
    for reference, value, place in run.feeds:
        value = value if place is None else _through(*place)
        if value is None:
            return None
        found.append((reference.deref(), value))
    return found


def _place(value: Any) -> tuple[Any, dict[str, Any]] | None:
    base = value.base
    # Where something that is not an array holds the memory there is nothing to come back to.
    return (weakref.ref(base), value.__array_interface__) if type(base).__module__ == "numpy" else None


def _through(reference: Any, interface: dict[str, Any]) -> Any:
    """The view again, through the array behind it."""
    import numpy

    base = reference()
    if base is None or not base.flags.c_contiguous or base.dtype.hasobject:
        return None
    offset = interface["data"][0] - base.__array_interface__["data"][0]
    flat = numpy.ndarray.view(base, numpy.ndarray).reshape(-1).view(numpy.uint8)
    return numpy.ndarray(interface["shape"], interface["typestr"], flat, offset, interface["strides"])


class SuspectRun(NamedTuple):
    """A run, what it was given, and the values of its updates where they were computed again. `sure` says that it was
    found, not assumed."""

    run: FedRun
    given: list[tuple[Any, Any]]
    updates: dict[str, Any]
    rate: float | None
    sure: bool


Known = list[tuple[FedRun, list[tuple[Any, Any]]]]
"""Runs with what they were fed."""


def suspect_run(session: Any, state: State, known: Known, candidates: int) -> SuspectRun | None:
    """The first run whose data is not finite, else the first whose updates are not with the kept weights, else the
    last; None where there is none whose data is still there. It is one of so many candidates."""
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
    return SuspectRun(last[0], last[1], updates if last[0] is run else {}, rate, candidates == 1)


def known_runs(runs: list[FedRun]) -> Known:
    """The runs whose data is there, of those that were fed from the same memory the last: it was filled anew."""
    found: dict[Any, tuple[FedRun, list[tuple[Any, Any]]]] = {}
    for run in runs:
        given = _fed_values(run)
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
