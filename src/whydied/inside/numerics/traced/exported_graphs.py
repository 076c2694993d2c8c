"""Takes our nodes out of what the program exports; runs in the user's process.

Invariant: a SavedModel has the functions as the program made them, and runs without us. A function that is to
be compiled by XLA calls copies without our nodes.
"""

from __future__ import annotations

from types import FrameType
from typing import Any

from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.guard import guarded
from whydied.inside.model import graph_ops
from whydied.inside.numerics import graph_cleaning, hidden_ops
from whydied.inside.numerics.traced import finite_watch, variable_writes

_PLAIN = "_whydied_plain"


@guarded("capture.export")
def saves(frame: FrameType) -> None:
    """The graph of a SavedModel is complete; the frame is that of the function that writes it into the model."""
    graph_def = of_library(frame).get("graph_def")
    if graph_def is not None:
        graph_cleaning.strip(graph_def)


def plain_calls(graph: Any) -> None:
    """Let a graph call copies of the watched functions that it calls, without our nodes."""
    for op in graph.get_operations():
        for attribute, names in variable_writes.named_functions(op).items():
            plain = [_plain(name, graph) for name in names]
            if any(plain):
                chosen = [copy or name for copy, name in zip(plain, names, strict=True)]
                if attribute == "branches":
                    op._set_func_list_attr(attribute, chosen)
                else:
                    op._set_func_attr(attribute, chosen[0])


_copies: dict[str, Any] = {}


def _plain(name: str, graph: Any) -> str | None:
    """The name of the copy of a function without our nodes; None where it has none of them."""
    inner = graph_ops.function_graph(name, graph)
    if inner is None or not _is_watched(inner):
        return None
    if name not in _copies:
        definition = hidden_ops.module("eager.context").context().get_function_def(name)
        for node in definition.node_def:
            for value in node.attr.values():
                for function in [value.func] if value.HasField("func") else value.list.func:
                    function.name = _plain(function.name, inner) or function.name
        graph_cleaning.strip_function(definition)
        definition.signature.name = name + _PLAIN
        functions = hidden_ops.module("eager.polymorphic_function.atomic_function")
        # Kept: TensorFlow forgets a function with the last object for it.
        _copies[name] = functions.from_function_def(definition, graph._get_function(name).function_type)
    graph._add_function_recursive(_copies[name])
    return name + _PLAIN


def _is_watched(graph: Any) -> bool:
    if finite_watch.plans_of(graph):
        return True
    for op in graph.get_operations():
        for name in variable_writes.functions_of(op):
            inner = graph_ops.function_graph(name, graph)
            if inner is not None and _is_watched(inner):
                return True
    return False
