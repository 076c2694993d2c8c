"""What ops of a graph need, and the graphs of the functions that they call; runs in the user's process.

Invariant: the graph is only read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

LARGEST_OPS = 30_000


class TooLarge(Exception):
    """More ops than are looked at."""


def ancestors(tops: Iterable[Any], cut: Collection[Any] = (), most: int | None = None) -> set[Any]:
    """All ops that some ops need, by data or by order, and these; nothing before the ops `cut`. Raises TooLarge."""
    found: set[Any] = set()
    waiting = list(tops)
    while waiting:
        op = waiting.pop()
        if op in found:
            continue
        found.add(op)
        if most is not None and len(found) > most:
            raise TooLarge(f"more than {most} ops")
        if op not in cut:
            waiting += [tensor.op for tensor in op.inputs]
            waiting += op.control_inputs
    return found


def function_graph(name: str, graph: Any) -> Any:
    """The FuncGraph of a function that a graph, or one around it, knows; None where it is not in Python."""
    while graph is not None:
        found = getattr(graph._get_function(name), "graph", None)
        if found is not None:
            return found
        graph = getattr(graph, "outer_graph", None)
    return None
