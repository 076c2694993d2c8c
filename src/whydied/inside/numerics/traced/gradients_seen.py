"""What optimizers and tapes tell about a graph that is being traced: its gradients and losses; runs in the user's
process.

Invariant: no op is created. What is noted hangs on the graph itself, so that it goes with the graph.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable
from typing import Any, NamedTuple

_ATTRIBUTE = "_whydied_told"
LARGEST_TOLD = 5000


class Target(NamedTuple):
    """The variable of a gradient: held weakly, because TensorFlow keeps graphs of models that are long gone."""

    variable: weakref.ref[Any]
    name: str


class TrainingSeen:
    def __init__(self) -> None:
        self.gradients: list[tuple[Any, Target]] = []
        self.losses: list[Any] = []
        self.optimizers: list[Any] = []
        """Weak references."""
        self.evaluates = False
        """Whether Keras evaluates with the graph: nothing is trained, and what it writes are metrics."""
        self.predicts = False
        """Whether Keras predicts with the graph: what it returns is what the program gets."""


def of(graph: Any) -> TrainingSeen:
    """What was told about a graph so far."""
    found = getattr(graph, _ATTRIBUTE, None)
    return found if isinstance(found, TrainingSeen) else TrainingSeen()


def forget(graph: Any) -> None:
    if hasattr(graph, _ATTRIBUTE):
        delattr(graph, _ATTRIBUTE)


def gradients(optimizer: Any, pairs: Iterable[tuple[Any, Any]], replaces: bool) -> None:
    """An optimizer is about to apply gradients. `replaces`: those that it told of before were not the final ones."""
    graph = _current()
    if graph is None:
        return
    told = _note(graph)
    fresh = [(tensor, target) for tensor, target in map(_pair, pairs) if _is_of(tensor, graph)]
    if replaces:
        gone = {id(target.variable()) for _, target in fresh}
        told.gradients = [pair for pair in told.gradients if id(pair[1].variable()) not in gone]
    if len(told.gradients) + len(fresh) <= LARGEST_TOLD:
        told.gradients += fresh
    if all(reference() is not optimizer for reference in told.optimizers):
        told.optimizers.append(weakref.ref(optimizer))


def losses(tensors: Iterable[Any]) -> None:
    """A tape is about to differentiate tensors."""
    graph = _current()
    if graph is None:
        return
    told = _note(graph)
    for tensor in tensors:
        if _is_of(tensor, graph) and len(told.losses) < LARGEST_TOLD:
            told.losses.append(tensor)


def evaluation(graph: Any) -> None:
    """Keras is about to evaluate with a graph."""
    _note(graph).evaluates = True


def prediction(graph: Any) -> None:
    """Keras is about to predict with a graph."""
    _note(graph).predicts = True


def _pair(pair: tuple[Any, Any]) -> tuple[Any, Target]:
    gradient, variable = pair
    # Of IndexedSlices the values; the variable may be one of Keras around one of TensorFlow.
    tensor = (
        getattr(gradient, "values", gradient)
        if not hasattr(gradient, "op") or type(gradient).__name__ == "IndexedSlices"
        else gradient
    )
    path = getattr(variable, "path", None) or getattr(variable, "name", "")
    return tensor, Target(weakref.ref(variable), str(path).partition(":")[0])


def _is_of(tensor: Any, graph: Any) -> bool:
    return getattr(tensor, "graph", None) is graph and hasattr(tensor, "value_index")


def _current() -> Any:
    ops: Any = sys.modules.get("tensorflow.python.framework.ops")
    context: Any = sys.modules.get("tensorflow.python.eager.context")
    if ops is None or context is None or context.executing_eagerly():
        return None
    graph = ops.get_default_graph()
    return graph if hasattr(graph, "outer_graph") else None


def _note(graph: Any) -> TrainingSeen:
    found = of(graph)
    setattr(graph, _ATTRIBUTE, found)
    return found
