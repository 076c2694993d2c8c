"""What the last runs of a session were fed with; runs in the user's process.

Invariant: nothing large of the user's is kept alive. Small values are copied. A large array that owns its
memory is held while all together stay below `LARGEST_BYTES`; of a large view only the place is kept, and the array that
it looks into by a weak reference. Adding a run happens at each step of the program and costs a few microseconds. A
program that fills the same large array anew for each step shows the last values only.
"""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any, NamedTuple

LARGEST_BYTES = 8 << 20
LARGEST_RUNS = 64
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


def values(run: FedRun) -> list[tuple[Any, Any]] | None:
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
