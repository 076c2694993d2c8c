"""Which lines added ops to the graph of a session since it was last looked at; runs in the user's process.

Invariant: it is asked only where a session's run is recorded, so at a bounded rate; of the newest
`LARGEST_SCAN` ops about `LOOKED_AT` have their stack read. Graphs are known by weak references only.
"""

from __future__ import annotations

import weakref
from typing import Any

from whydied.inside.guest.live_source import span
from whydied.inside.guest.ownership import Ownership
from whydied.records import GraphAddition

LOOKED_AT = 40
LARGEST_SCAN = 2000
LARGE_CONSTANT_BYTES = 64 << 10
"""The newest `LARGEST_SCAN` ops are searched for constants of this size: a single one may be the whole matter."""
_MOST = 4
_seen: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()


def added(session: Any, ownership: Ownership) -> list[GraphAddition]:
    """The lines that made the newest ops, those with the largest constants first; at the first look at a graph, those
    that built it."""
    graph = getattr(session, "graph", None)
    last = getattr(graph, "version", None)
    if graph is None or not isinstance(last, int):
        return []
    first = _seen.get(graph)
    _seen[graph] = last
    return [] if first is not None and last <= first else _by_line(graph, first or 0, last, ownership)


def _by_line(graph: Any, first: int, last: int, ownership: Ownership) -> list[GraphAddition]:
    by_id = getattr(graph, "_nodes_by_id", None)
    if by_id is None:
        return []
    found: dict[tuple[str, int, str], list[int]] = {}
    step = max(1, (last - first) // LOOKED_AT)
    for number in range(last, max(first, last - LARGEST_SCAN), -1):
        try:
            op = by_id[number]
        except (KeyError, IndexError):
            continue
        constant = _constant_bytes(op)
        chosen = (last - number) % step == 0
        place = _place(op, ownership) if chosen or constant >= LARGE_CONSTANT_BYTES else None
        if place is not None:
            totals = found.setdefault(place, [0, 0])
            totals[0] += step if chosen else 0
            totals[1] += constant
    ranked = sorted(found.items(), key=lambda item: (item[1][1], item[1][0]), reverse=True)
    return [
        GraphAddition(file=place[0], line=place[1], function=place[2], operations=ops, constant_bytes=size)
        for place, (ops, size) in ranked[:_MOST]
    ]


def _place(op: Any, ownership: Ownership) -> tuple[str, int, str] | None:
    """The innermost line of the user's in the stack that made an op."""
    # An op that was imported with its graph has no stack.
    for frame in reversed(list(op.traceback or ())):
        file = ownership.owned(frame.filename, False)
        if file is not None:
            return file, span(file, frame.lineno)[0], frame.name
    return None


def _constant_bytes(op: Any) -> int:
    if op.type != "Const":
        return 0
    value = op.outputs[0]
    return int(value.shape.num_elements() or 0) * int(value.dtype.size or 0)
