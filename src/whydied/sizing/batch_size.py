"""`whydied.fit_batch_size`: the largest batch whose training step fits into memory; runs in the user's process.

The step is traced once, for any number of rows, and what it takes is computed from its graph (`graph/`), for as many
batches as one likes without running one. A few real trials then say how far the computation is off: in a child with a
copy of the model under a limit of its own, or, where the model cannot be copied or nobody wants to wait, in this
process with batches far below what fits. Nothing is doubled until it crashes.

Invariants: the program's weights are as they were; a trial never takes more than there is.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from whydied import words
from whydied.config import parse_memory_limit
from whydied.errors import UsageError
from whydied.graph.expansion import Bindings, expand
from whydied.graph.op_table import Table
from whydied.graph.simulation import Simulation
from whydied.inside.model import step_trial
from whydied.linux import cgroup, proc
from whydied.run.observe import limits

MOST_TRIALS = 5
AIM = 0.96
"""Part of the room that the chosen batch is to take: the same step does not take the same memory each time."""
CLOSE = 1.15
"""A batch that fits and one that does not are so near that nothing between them is worth a trial."""
BEYOND = 1.12
FIRST = 0.92
"""The same before the first trial."""
SAFE = 0.5
"""Part of the room that a first measurement in this very process may be predicted to take."""
SAFE_LATER = 0.7
"""The same once two measurements are known."""
MOST_MEASURED = 4
"""Measurements in this process."""
SAFER = 0.85
READY = 2
"""Batches that `fit` holds besides the one of the step."""
_MUCH = 64 << 30
"""More than a child takes to load a model; its real limit is set when it is ready."""
LONGEST_S = 600.0
EVERY_S = 0.05


class Trial(NamedTuple):
    """Real steps with so many rows. `measured_bytes` is what they took, None where they did not fit."""

    batch_size: int
    measured_bytes: int | None
    seconds: float
    in_child: bool


class BatchSize(NamedTuple):
    """`predicted_bytes` and `measured_bytes` are what a step of `batch_size` takes above what is there before it, by
    its graph and by the trials (carried over to this batch where they had others); `room_bytes` is what there is for
    it."""

    batch_size: int
    predicted_bytes: int | None
    measured_bytes: int | None
    room_bytes: int
    trials: tuple[Trial, ...]

    def __int__(self) -> int:
        return self.batch_size

    def __index__(self) -> int:
        return self.batch_size

    def __str__(self) -> str:
        told = f"a batch of {self.batch_size:,} fits into {words.size(self.room_bytes)}"
        if self.measured_bytes is not None:
            told += f": a step takes {words.size(self.measured_bytes)} ({words.count(len(self.trials), 'trial')})"
        return told


def fit_batch_size(
    model: Any,
    x: Any,
    y: Any = None,
    *,
    limit: int | str | None = None,
    largest: int | None = None,
    verify: bool = True,
) -> BatchSize:
    """The largest batch that `model.fit(x, y, batch_size=…)` can take without running out of memory.

    `model` is a compiled Keras model, or a function `step(x)` or `step(x, y)` that trains on one batch. `x` and `y` are
    arrays, or lists or dictionaries of arrays. `limit` is the memory that the process may have ("4G"); without it the
    limit of its control group, else what the machine has free. The answer is never above `largest`, nor above the rows
    of `x`. With `verify` a copy of the model is trained for two steps in a child process to check the answer, at most
    five times; without it, or where the model cannot be copied, up to four short measurements in this process correct
    the prediction. Weights and optimizer stay as they are.

    Raises UsageError where not even one row fits, or where the data are no arrays.
    """
    arrays = [*step_trial.arrays_of(x), *step_trial.arrays_of(y)]
    if not arrays or not all(hasattr(one, "shape") and len(one.shape) for one in arrays):
        raise UsageError("fit_batch_size needs arrays, or lists or dictionaries of arrays")
    most = min([int(arrays[0].shape[0]), *([largest] if largest is not None else [])])
    traced = step_trial.traced(model, x, y)
    room = _room(limit)
    search = _Search(_predictor(traced.table, arrays, step_trial.is_model(model)), room, most)
    if verify and step_trial.is_model(model):
        with contextlib.suppress(_NoCopy):
            _in_children(search, model, x, y)
    if not search.trials:
        _in_process(search, model, x, y, traced.variables)
    return search.answer()


def _predictor(table: Table | None, arrays: list[Any], by_fit: bool) -> Callable[[int], int | None]:
    """What a step of so many rows takes, by its graph; each answer is computed once. `fit` makes a tensor of all rows
    besides, and holds the next batches ready."""
    known: dict[int, int | None] = {}
    rows_bytes = sum(one.size * one.dtype.itemsize / one.shape[0] for one in arrays if hasattr(one.dtype, "itemsize"))
    whole = rows_bytes * arrays[0].shape[0] if by_fit else 0

    def predict(rows: int) -> int | None:
        if table is not None and rows not in known:
            shapes = tuple((rows, *one.shape[1:]) for one in arrays)
            try:
                expansion = expand(table, Bindings(batch=rows, inputs=shapes))
                simulation = Simulation(expansion, table.threads or 1, 0)
                taken = max(simulation.step().counted_bytes for _ in range(2))
                known[rows] = round(taken + whole + (READY * rows * rows_bytes if by_fit else 0))
            except (ArithmeticError, LookupError, ValueError, TypeError, AssertionError, RecursionError):
                known[rows] = None
        return known.get(rows)

    return predict


class _Search:
    """Between the largest batch that is known to fit and the smallest that is known not to. Without a prediction a step
    takes in proportion to its rows."""

    def __init__(self, predict: Callable[[int], int | None], room: int, most: int) -> None:
        self.predict = predict
        self.room = room
        self.most = most
        self.trials: list[Trial] = []

    def needed(self, rows: int) -> float | None:
        """By the trials; before the first one, as predicted."""
        predicted = self.predict(rows)
        fitted = [one for one in self.trials if one.measured_bytes is not None]
        last = max(fitted, key=lambda one: one.batch_size, default=None)
        if last is None or last.measured_bytes is None:
            return predicted
        known = self.predict(last.batch_size)
        # The allocator takes memory in large pieces: the prediction knows where it steps, the trial how much besides.
        return (predicted if predicted and known else rows) * last.measured_bytes / (known or last.batch_size)

    def guess(self, part: float = AIM, room: int | None = None) -> int:
        """The largest batch that is thought to take at most a part of the room, or of another."""
        room = self.room if room is None else room
        low, high = 0, self.most
        lost = [one.batch_size for one in self.trials if one.measured_bytes is None]
        high = min([high, *(size - 1 for size in lost)])
        while low < high:
            middle = (low + high + 1) // 2
            needed = self.needed(middle)
            if needed is not None and needed > part * room:
                high = middle - 1
            else:
                low = middle
        return low

    @property
    def fitted(self) -> Trial | None:
        fitting = [one for one in self.trials if one.measured_bytes is not None and one.measured_bytes <= self.room]
        return max(fitting, key=lambda one: one.batch_size, default=None)

    def answer(self) -> BatchSize:
        best, lost = self.fitted, any(one.measured_bytes is None for one in self.trials)
        # A batch that ran under the limit is worth more than one that is thought to.
        chosen = best.batch_size if best is not None and best.in_child and lost else self.guess()
        if chosen < 1:
            raise UsageError(f"not even a batch of one row fits into {words.size(self.room)}")
        needed = self.needed(chosen) if self.trials else None
        return BatchSize(
            chosen,
            self.predict(chosen),
            round(needed) if needed is not None else None,
            self.room,
            tuple(self.trials),
        )


class _NoCopy(Exception):
    """The model cannot be trained in another process."""


def _in_process(search: _Search, step: Any, x: Any, y: Any, variables: list[Any]) -> None:
    """Measurements well below the limit, each as far up as the last one allows: a small batch takes more for each row
    than a large one, because what the allocator keeps of earlier ones counts, so the last tells most."""
    size = max(1, search.guess(SAFE / 2)) if search.predict(1) is not None else 1
    base = None
    last = 0.0
    while size >= 1 and size > last and len(search.trials) < MOST_MEASURED:
        began = time.monotonic()
        found = step_trial.measured(step, x, y, size, variables)
        # Memory that the first steps let go of stays with the process, and the next ones use it.
        base = found.before_bytes if base is None else base
        search.trials.append(Trial(size, found.peak_bytes - base, time.monotonic() - began, False))
        last = BEYOND * size if len(search.trials) > 1 else size
        size = search.guess(SAFE if len(search.trials) == 1 else SAFE_LATER)


def _in_children(search: _Search, model: Any, x: Any, y: Any) -> None:
    with tempfile.TemporaryDirectory(prefix="whydied-batch-") as folder:
        _copy(model, x, y, folder)
        low, high = 0, search.most + 1
        size = search.guess(FIRST)
        while size >= 1 and len(search.trials) < MOST_TRIALS:
            trial = _trial(folder, size, search)
            if trial is None:
                break
            search.trials.append(trial)
            size = trial.batch_size
            if trial.measured_bytes is not None and trial.measured_bytes <= search.room:
                low = size
            else:
                high = size
            if low == search.most or high <= CLOSE * low:
                break
            size = _next(search, low, high)


def _next(search: _Search, low: int, high: int) -> int:
    """What is thought to fit, where only batches that fit are known, and so much more that the answer is worth a trial;
    else between what fits and what does not."""
    if high > search.most:
        return min(max(search.guess(), math.ceil(BEYOND * low)), search.most)
    return (low + high) // 2 if low else min(search.guess(), int(high / BEYOND**2))


def _copy(model: Any, x: Any, y: Any, folder: str) -> None:
    """What a child needs to train the model. Raises _NoCopy."""
    told = {
        "package": "tf_keras" if any(one.__module__.startswith("tf_keras") for one in type(model).__mro__) else "keras",
        "x": step_trial.mapped(x, _told),
        "y": step_trial.mapped(y, _told),
    }
    try:
        model.save(os.path.join(folder, "model.keras"))
    except Exception as error:
        raise _NoCopy from error
    with open(os.path.join(folder, "data.json"), "w") as file:
        json.dump(told, file)


def _told(array: Any) -> dict[str, Any]:
    dtype = getattr(array.dtype, "name", None) or str(array.dtype)
    return {"shape": [int(extent) for extent in array.shape], "dtype": dtype}


def _trial(folder: str, rows: int, search: _Search) -> Trial | None:
    """Real steps in a child that is given as much beyond its start as there is here. A limit that holds for both of us
    leaves it less: then with so many rows as it can take, None where it tried these already. Raises _NoCopy where it
    cannot even load the model."""
    began, room = time.monotonic(), search.room
    limit = limits.wanted_limit(room + _MUCH, f"batch-{os.getpid()}-{len(search.trials)}")
    command = [sys.executable, "-m", "whydied.inside.model.step_child", folder]
    # The child is ours: a recorder of the program's run has no part in it.
    own = {name: value for name, value in os.environ.items() if not name.startswith("WHYDIED_")}
    environment = {**own, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True
    )
    try:
        if limit.made is not None:
            with contextlib.suppress(OSError):
                limits.write_knob(f"{limit.made.path}/cgroup.procs", str(child.pid))
        if not _read(child).get("ready"):
            raise _NoCopy
        base, left = _anonymous(child.pid), _left()
        if (search.needed(rows) or room) > SAFER * left:
            rows = search.guess(SAFER, left)
        if rows < 1 or any(one.batch_size == rows for one in search.trials):
            return None
        if limit.made is not None:
            with contextlib.suppress(OSError):
                limits.set_limit(limit.made, _beyond_start(limit.made, room))
        if child.stdin is not None:
            child.stdin.write(f"{rows}\n")
            child.stdin.flush()
        told = _watched(child, base + min(room, left))
        taken = told.get("bytes")
        return Trial(rows, int(taken) if taken is not None else None, time.monotonic() - began, True)
    finally:
        child.kill()
        child.communicate()
        if limit.made is not None:
            limits.remove_group(limit.made)


def _beyond_start(group: cgroup.ControlGroup, room: int) -> int:
    """A limit that leaves a group as much room as there is here."""
    left = group.room_bytes() or 0
    return (group.limit_bytes() or 0) - left + room


def _read(child: subprocess.Popen[str]) -> dict[str, Any]:
    line = child.stdout.readline() if child.stdout is not None else ""
    try:
        found: dict[str, Any] = json.loads(line) if line.strip() else {}
    except ValueError:
        return {}
    return found


def _watched(child: subprocess.Popen[str], most: int) -> dict[str, Any]:
    """What the child prints; empty where it was killed, by its limit or, where it has none of its own, by us."""
    ends = time.monotonic() + LONGEST_S
    while child.poll() is None and time.monotonic() < ends:
        if _anonymous(child.pid) > most:
            child.kill()
            return {}
        if _has_line(child):
            return _read(child)
        time.sleep(EVERY_S)
    return _read(child) if child.poll() == 0 else {}


def _has_line(child: subprocess.Popen[str]) -> bool:
    import select

    return child.stdout is not None and bool(select.select([child.stdout], [], [], 0)[0])


def _anonymous(pid: int) -> int:
    return proc.field_bytes(proc.read(f"/proc/{pid}/status"), b"RssAnon") or 0


def _left() -> int:
    """What the machine and the group of this process have left."""
    own = cgroup.own_group()
    holder = cgroup.holding_limit(own) if own is not None else None
    free = proc.field_bytes(proc.read("/proc/meminfo"), b"MemAvailable") or 0
    left = holder.room_bytes() if holder is not None else None
    return min(free, left) if left is not None else free


def _room(limit: int | str | None) -> int:
    """What this process may still take."""
    rooms = [_left()]
    if limit is not None:
        wanted = parse_memory_limit(limit) if isinstance(limit, str) else limit
        rooms.append(wanted - _anonymous(os.getpid()))
    return max(0, min(rooms))
