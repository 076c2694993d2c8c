"""The functions of data sets: the node of a `map`, `filter` or `interleave` that an error names; runs in the user's
process, after an exception.

Invariant: data sets are only read, by what they tell of their functions and inputs themselves. A node whose
name two functions have belongs to neither, unless both are the same lines traced for two data sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from whydied.inside.errors.stack_steps import Step
from whydied.inside.guest import guard
from whydied.inside.guest.lookup import instance_dict

LARGEST_DATASETS = 60


def node_of(steps: list[Step], name: str, line_of: Callable[[Any], Any]) -> Any:
    """The op of that name in the function of a data set that is in sight of the frames. `line_of` gives the user's line
    that made an op."""
    found = []
    for graph in _graphs(steps):
        try:
            found.append(graph.get_operation_by_name(name))
        except (KeyError, ValueError):
            continue
    # One function that two data sets are made with is traced for each.
    made = [(str(op.type), line_of(op)) for op in found]
    same = bool(made) and made[0][1] is not None and all(one == made[0] for one in made)
    return found[0] if len(found) == 1 or same else None


def _graphs(steps: list[Step]) -> Iterator[Any]:
    seen: set[int] = set()
    for dataset in datasets(steps):
        for function in listed_by(dataset, "_functions"):
            graph = getattr(getattr(function, "function", None), "graph", None)
            if graph is not None and id(graph) not in seen:
                seen.add(id(graph))
                yield graph


def datasets(steps: list[Step]) -> list[Any]:
    """The data sets that variables hold, and those that they are made of."""
    found: list[Any] = []
    pending = [value for step in reversed(steps) for value in step.names.values()]
    while pending and len(found) < LARGEST_DATASETS:
        value = pending.pop(0)
        if is_a(value, "OwnedIterator"):
            value = instance_dict(value).get("_dataset")
        if is_a(value, "DatasetV2") and not any(value is other for other in found):
            found.append(value)
            pending[:0] = listed_by(value, "_inputs")
    return found


def listed_by(dataset: Any, method: str) -> list[Any]:
    """What a method of a data set's own that takes nothing lists: its functions, its inputs."""
    try:
        answer = getattr(dataset, method)()
    except Exception as error:
        if guard.is_the_users(error):
            raise
        return []
    return list(answer) if isinstance(answer, (list, tuple)) else []


def is_a(value: Any, name: str) -> bool:
    """Whether a value is of a class of TensorFlow's, told by the names of its classes."""
    for kind in type.__dict__["__mro__"].__get__(type(value)):
        if kind.__name__ == name and kind.__module__.startswith("tensorflow."):
            return True
    return False
