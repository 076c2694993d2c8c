"""The variables of a session as they last were finite; runs in the user's process.

Invariant: values are read through the session itself by the C call, from tensors that the graph already has:
no op is made, no hook of ours or of the program's is run, and nothing of the session moves. What is read is copied and
let go at once, because a value that we held would make TensorFlow copy the variable at its next update. Reading takes
at most `SHARE` of the time on the mean, copies at most `LARGEST_BYTES`.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from typing import Any, NamedTuple

from whydied.inside.guest import guard
from whydied.inside.numerics.session.session_plan import Plan, Variable

LARGEST_BYTES = 64 << 20
SHARE = 0.005
FREE_READS = 4
MOST_CREDIT_S = 0.01
MOST_DEBT_S = 0.3
"""What may be overdrawn, once, while the weights or the loss grow fast: the last steps before an overflow are the ones
that tell, and they are few."""
KEPT_NORMS = 64


class Allowance:
    """The time that may be spent on reading, in all sessions of the process."""

    def __init__(self) -> None:
        self._credit = 0.0
        self._at = time.perf_counter()
        self._reads = 0
        self._last_cost = 0.0

    def due(self, urgent: bool) -> bool:
        now = time.perf_counter()
        self._credit = min(MOST_CREDIT_S, self._credit + SHARE * (now - self._at))
        self._at = now
        return self._reads < FREE_READS or self._credit > (self._last_cost - MOST_DEBT_S if urgent else self._last_cost)

    def due_at(self) -> float:
        """When there will be enough for the next reading, as `time.perf_counter` tells it."""
        return 0.0 if self._reads < FREE_READS else self._at + (self._last_cost - self._credit) / SHARE

    def spent(self, seconds: float) -> None:
        self._reads += 1
        self._last_cost = seconds
        # The first reads find the session unprepared for them: that is not a measure for the later ones.
        if self._reads > FREE_READS:
            self._credit -= seconds


class Look(NamedTuple):
    """What a reading has shown: the values of the variables, and which weights are not finite."""

    values: list[Any]
    bad: list[int]


class Norms(NamedTuple):
    at: int
    norms: list[float]


class State:
    """The variables of all that trains in one session. `kept` are their values before training run number
    `kept_at` of the session, the last time that they were all finite; None where there are none."""

    def __init__(self) -> None:
        self.variables: list[Variable] = []
        self.kept: list[Any] | None = None
        self.kept_at = -1
        self.norms: deque[Norms] = deque(maxlen=KEPT_NORMS)
        self.too_large = False
        self.fresh = False
        """Whether there are variables that were never read."""
        self._outputs: list[Any] = []
        self._sizes: list[int] = []
        self._weights = 0

    def add(self, plan: Plan) -> None:
        known = {variable.node for variable in self.variables}
        new = [variable for variable in (*plan.variables, *plan.slots) if variable.node not in known]
        if not new:
            return
        wanted = [*self.variables, *new]
        if _bytes(wanted) > LARGEST_BYTES:
            # A run can be executed again without the variables of the optimizer, the ones after it cannot.
            slots = {variable.node for variable in plan.slots}
            wanted = [variable for variable in wanted if variable.node not in slots]
        self.variables = sorted(wanted, key=lambda one: one.role != "weight")
        self._weights = sum(variable.role == "weight" for variable in self.variables)
        self._outputs = [variable.read._as_tf_output() for variable in self.variables]
        self.kept, self.kept_at, self.fresh = None, -1, True
        self.norms.clear()
        self.too_large = _bytes(self.variables) > LARGEST_BYTES

    def look(self, session: Any, at: int, keep: bool = True) -> Look | None:
        """Read the variables; where all weights are finite, that is what is kept. None where they cannot be read."""
        self.fresh = False
        values = read(session, self._outputs)
        if values is None:
            return None
        squares = [_square(value) for value in values[: self._weights]]
        bad = [number for number, square in enumerate(squares) if square is None]
        if not bad and keep:
            self._keep(values, at)
            self.norms.append(Norms(at, [square**0.5 for square in squares if square is not None]))
        return Look(values, bad)

    def grows(self) -> bool:
        """Whether a weight has doubled since the reading before, beyond the size that weights have."""
        if len(self.norms) < 2:
            return False
        before, now = self.norms[-2].norms, self.norms[-1].norms
        for number, (old, new) in enumerate(zip(before, now, strict=True)):
            if new > 2 * old and new * new > max(1, (self.variables[number].size_bytes or 0) // 4):
                return True
        return False

    def _keep(self, values: list[Any], at: int) -> None:
        import numpy

        if self.too_large:
            return
        kept = self.kept
        if kept is None or any(old.shape != numpy.shape(new) for old, new in zip(kept, values, strict=True)):
            self.kept = [numpy.array(value) for value in values]
        else:
            for old, new in zip(kept, values, strict=True):
                numpy.copyto(old, new)
        self.kept_at = at


def read(session: Any, outputs: list[Any], feeds: dict[Any, Any] | None = None) -> list[Any] | None:
    """The values of tensors of a session; None where TensorFlow refuses."""
    if session._closed or not outputs:
        return None
    module: Any = sys.modules["tensorflow.python.client.pywrap_tf_session"]
    errors: Any = sys.modules["tensorflow.python.framework.errors_impl"]
    try:
        return list(module.TF_SessionRun_wrapper(session._session, None, feeds or {}, outputs, [], None))
    except errors.OpError as error:
        guard.limited("variables of sessions", f"{type(error).__name__}: {error.message[:200]}")
        return None


def _bytes(variables: list[Variable]) -> int:
    return sum(variable.size_bytes or 0 for variable in variables)


def _square(value: Any) -> float | None:
    """The sum of squares, None where an element is not finite. Squares overflow before values do: asked again then."""
    import numpy

    array = numpy.asarray(value)
    with numpy.errstate(all="ignore"):
        if array.dtype.kind != "f" or array.dtype.itemsize < 4:
            wide = array.astype(numpy.float32)
            flat = wide.reshape(-1)
        else:
            flat = array.reshape(-1)
        square = float(numpy.dot(flat, flat))
        if square - square == 0.0:
            return square
        if not numpy.isfinite(flat).all():
            return None
        wide = flat.astype(numpy.float64)
        square = float(numpy.dot(wide, wide))
        return square if square - square == 0.0 else 1e300


def finite(value: Any) -> bool:
    return _square(value) is not None
