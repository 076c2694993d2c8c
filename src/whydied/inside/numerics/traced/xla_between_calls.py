"""A compiled step that the program calls straight from eager code: its variables, looked at between calls; runs in the
user's process, in the thread that calls.

No graph of ours is around such a step. So the variables are read before a call, for at most a hundredth of the time,
and held until the next look: what they were before the bad call is then known, if no call came between. Else the first
call since the last look stands for it.

Invariant: of the program's values the arguments of one call are kept, and variables up to `LARGEST_BYTES`.
"""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from whydied.inside.numerics import hidden_ops, step_file
from whydied.inside.numerics.traced import bad_step, finite_watch, variable_handles, variable_writes, watched_tensors
from whydied.inside.numerics.traced.gradients_seen import TrainingSeen
from whydied.inside.numerics.variable_names import Names
from whydied.records import Suspect

LARGEST_BYTES = 64 << 20
LARGEST_STEPS = 50
SHARE = 100
_steps: dict[str, list[Step]] = {}


class Step:
    """A compiled function with the variables that it writes."""

    def __init__(self, graph: Any, known: TrainingSeen, trainable: dict[int, bool]) -> None:
        found = variable_writes.writers(graph)
        checks = watched_tensors.choose(graph, known, found, trainable)
        self.plan = finite_watch.Plan(graph, [item for items in checks for item in items], known)
        self.plan.compiled = True
        self.plan.fed = [tensor for tensor in graph.inputs if tensor.dtype not in ("resource", "variant")]
        self._written = [tensor for tensor in graph.inputs if id(tensor) in {id(writer.handle) for writer in found}]
        self._calls = 0
        self._seen_at = 0
        self._next_s = 0.0
        self._took_s: deque[float] = deque(maxlen=5)
        self._before: list[Any] | None = None
        self._arguments: Any = None
        self.over = not checks

    def called(self, arguments: Any) -> None:
        """The function is about to be called."""
        if not self.over and time.perf_counter() >= self._next_s:
            self.look()
            self._arguments = arguments
        self._calls += 1

    def look(self) -> None:
        """See what the calls since the last look have left."""
        began = time.perf_counter()
        known = variable_handles.eager_handles(self.plan.graph)
        held = [known.get(id(tensor)) for tensor in self._written]
        now = variable_handles.tensors(held)
        if not now:
            self.over = True
            return
        bad = [number for number, tensor in enumerate(now) if not _is_finite(tensor)]
        if bad and self._calls:
            self.over = True
            if self._before is not None:
                self._capture(bad, now, known)
            self._before = self._arguments = None
            return
        size = sum(int(tensor.shape.num_elements() or 0) * int(tensor.dtype.size) for tensor in now)
        self.over = bool(bad) or size > LARGEST_BYTES
        self._before, self._seen_at = now, self._calls
        self._took_s.append(time.perf_counter() - began)
        # The quickest of the last few: in the others the machine did something else meanwhile.
        self._next_s = time.perf_counter() + SHARE * min(self._took_s)

    def _capture(self, bad: list[int], now: list[Any], known: dict[int, Any]) -> None:
        plan = self.plan
        names = Names(plan.called)
        suspects = []
        for number in bad:
            name = names.of(known[id(self._written[number])])
            role = name.role if name is not None and name.role in ("metric", "statistic") else "weight"
            numbers = step_file.numbers_of(now[number].numpy())
            suspects.append(Suspect(role=role, name=name.name if name is not None else "", numbers=numbers))
        plan.kept = self._written
        plan.calls_after = self._calls - self._seen_at - 1
        assert self._before is not None
        given = _flat(self._arguments)
        values = bad_step.Values(
            step=self._seen_at if plan.calls_after == 0 else None,
            norms=None,
            fed=given if len(given) == len(plan.fed) else [],
            items=[],
            kept=[tensor.numpy() for tensor in self._before],
        )
        if not values.fed:
            plan.fed = []
        bad_step.write(plan, values, suspects, names)


def watched(graph: Any, known: TrainingSeen, trainable: dict[int, bool]) -> Step | None:
    """Watch a compiled function that is traced outside of all others."""
    if sum(map(len, _steps.values())) >= LARGEST_STEPS:
        return None
    step = Step(graph, known, trainable)
    if step.over:
        return None
    _steps.setdefault(str(graph.name), []).append(step)
    return step


def called(name: str, arguments: Any) -> None:
    for step in _steps.get(name, ()):
        step.called(arguments)


def any_watched() -> bool:
    return bool(_steps)


def ended() -> None:
    for steps in _steps.values():
        for step in steps:
            if not step.over:
                step.look()


def _flat(arguments: Any) -> list[Any]:
    """The tensors among the arguments of a call, as arrays, in the order of the function's inputs."""
    flat = hidden_ops.module("util.nest").flatten(arguments, expand_composites=True)
    return [
        value.numpy() if hasattr(value, "_numpy") else value
        for value in flat
        if hasattr(value, "_numpy") or type(value).__module__ == "numpy"
    ]


def _is_finite(tensor: Any) -> bool:
    import numpy

    array = tensor.numpy()
    if array.dtype.kind not in "fV":
        return True
    flat = (array.astype(numpy.float32) if array.dtype.itemsize < 4 else array).reshape(-1)
    with numpy.errstate(all="ignore"):
        total = float(numpy.dot(flat, flat))
    return total - total == 0.0 or bool(numpy.isfinite(flat).all())
