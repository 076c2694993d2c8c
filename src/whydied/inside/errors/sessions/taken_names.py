"""A variable under a name that its graph has already: who made the first; runs in the user's process."""

from __future__ import annotations

from typing import Any

from whydied.inside.errors.sessions import graph_walk
from whydied.inside.errors.stack_steps import Step, is_of
from whydied.inside.model import session_runs
from whydied.records import VariableTaken


def look(number: int, steps: list[Step]) -> VariableTaken | None:
    """The variable that `get_variable` found there, read from the frame that refuses the second."""
    if not steps or not is_of(steps[-1], "ops/variable_scope.py"):
        return None
    step = steps[-1]
    name, store = step.get("name"), step.get("self")
    known: Any = getattr(store, "_vars", None)
    first = known.get(name) if isinstance(known, dict) and isinstance(name, str) else None
    if first is None:
        return None
    shape = step.get("shape")
    return VariableTaken(
        link=number,
        first=graph_walk.node_of(first),
        shape=shape.as_list() if type(shape).__name__ == "TensorShape" and shape.rank is not None else None,
        runs=session_runs.count_of(first.graph),
    )
