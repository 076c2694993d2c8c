"""Which line opened a session, and which ops that give variables their values ran in it; runs in the user's process.

Invariant: sessions and graphs are known by weak references only; of a graph at most `LARGEST_OPS` ops are
remembered, each by its name and the line that first ran it. An op that was seen costs one look into a set.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple

from whydied.inside.guest.ownership import Ownership
from whydied.inside.guest.user_frames import Line, user_lines

LARGEST_OPS = 500
LARGEST_FETCHES = 100
_ASSIGNING = ("NoOp", "Assign", "MakeIterator", "InitializeTable", "LookupTableImport")


class Run(NamedTuple):
    """`session` is the number of the session (an address is used again), `operation` the name of the op."""

    session: int
    operation: str
    line: Line | None


class _Graph:
    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.seen: set[tuple[int, int]] = set()
        self.count = 0


_numbers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
_count = itertools.count()
_opened: weakref.WeakKeyDictionary[Any, Line] = weakref.WeakKeyDictionary()
_graphs: weakref.WeakKeyDictionary[Any, _Graph] = weakref.WeakKeyDictionary()


def opened(session: Any, frame: FrameType, ownership: Ownership) -> None:
    lines = user_lines(frame, ownership)
    if lines:
        _opened[session] = lines[-1]


def ran(session: Any, fetches: Any, line: Callable[[], Line | None]) -> None:
    """A run is about to begin. `line` is asked only for an op that is new."""
    graph = session.__dict__.get("_graph")
    if graph is None:
        return
    known = _graphs.get(graph)
    if known is None:
        known = _graphs[graph] = _Graph()
    known.count += 1
    session_number = number_of(session)
    many = fetches if type(fetches) in (list, tuple) else fetches.values() if type(fetches) is dict else (fetches,)
    for number, fetch in enumerate(many):
        key = (session_number, id(fetch))
        if key in known.seen or number >= LARGEST_FETCHES:
            continue
        if len(known.seen) >= LARGEST_OPS:
            return
        known.seen.add(key)
        name = _assigning(fetch)
        if name is not None:
            known.runs.append(Run(session_number, name, line()))


def _assigning(fetch: Any) -> str | None:
    """The name of an op that may give values: an op without outputs, an assignment, or one that is given by name."""
    if isinstance(fetch, str):
        return fetch.partition(":")[0]
    kind = type(fetch).__name__
    if not type(fetch).__module__.startswith("tensorflow.") or kind not in ("Operation", "Tensor", "SymbolicTensor"):
        return None
    op = fetch if kind == "Operation" else fetch.op
    return str(op.name) if op.type.startswith(_ASSIGNING) else None


def number_of(session: Any) -> int:
    found = _numbers.get(session)
    if found is None:
        found = _numbers[session] = next(_count)
    return found


def line_of(session: Any) -> Line | None:
    """The line that opened a session."""
    return _opened.get(session)


def runs_of(graph: Any) -> list[Run]:
    known = _graphs.get(graph)
    return known.runs if known is not None else []


def count_of(graph: Any) -> int:
    """How often a session ran something of a graph."""
    known = _graphs.get(graph)
    return known.count if known is not None else 0
