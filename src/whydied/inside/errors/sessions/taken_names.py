"""A variable under a name that its graph has already: who made the first; runs in the user's process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from whydied.inside.errors.sessions import graph_walk
from whydied.inside.errors.stack_steps import Step, is_of
from whydied.inside.model import session_runs
from whydied.records import VariableTaken
from whydied.texts import session_errors

_STORE = ("__variable_store",)
"""The collection in which a graph keeps what `get_variable` knows."""
_OF_GRAPH = ("Tensor", "SymbolicTensor", "Operation", "RefVariable", "ResourceVariable")


def look(number: int, said: str, steps: list[Step]) -> VariableTaken | None:
    """The variable that `get_variable` found there, read from the frame that refuses the second. Keras cuts the frames
    of libraries out of the traceback of its layers: then the store of the graph has it under the name that is said."""
    found = _refused(steps) or _said(said, steps)
    if found is None:
        return None
    first, shape = found
    return VariableTaken(
        link=number,
        first=graph_walk.node_of(first),
        shape=shape.as_list() if type(shape).__name__ == "TensorShape" and shape.rank is not None else None,
        runs=session_runs.count_of(first.graph),
    )


def _refused(steps: list[Step]) -> tuple[Any, Any] | None:
    if not steps or not is_of(steps[-1], "ops/variable_scope.py"):
        return None
    step = steps[-1]
    first = _known(step.get("self"), step.get("name"))
    return (first, step.get("shape")) if first is not None else None


def _said(said: str, steps: list[Step]) -> tuple[Any, Any] | None:
    match = session_errors.VARIABLE_EXISTS.pattern.search(said)
    name = match["name"] if match is not None else None
    for graph in _graphs(steps) if name is not None else ():
        for store in graph.get_collection(_STORE):
            first = _known(store, name)
            if first is not None:
                return first, None
    return None


def _graphs(steps: list[Step]) -> Iterator[Any]:
    """The graphs of the tensors that the user's frames hold, the innermost first; each once."""
    seen: list[Any] = []
    for step in reversed([one for one in steps if one.file is not None]):
        for value in list(step.names.values()):
            graph = getattr(value, "graph", None) if type(value).__name__ in _OF_GRAPH else None
            if graph is not None and all(graph is not one for one in seen):
                seen.append(graph)
                yield graph


def _known(store: Any, name: Any) -> Any:
    known: Any = getattr(store, "_vars", None)
    return known.get(name) if isinstance(known, dict) and isinstance(name, str) else None
