"""From a handle in a traced graph to the variable itself; runs in the user's process.

Invariant: nothing is executed but reads of variables. A handle that came in as an argument of a function cannot
be followed, because only TensorFlow knows which variable was passed.
"""

from __future__ import annotations

from typing import Any

from whydied.inside.numerics import hidden_ops


def eager_handles(graph: Any) -> dict[int, Any]:
    """The handle outside of all graphs, by the id of its tensor in the graph."""
    found: dict[int, Any] = {}
    outer: dict[int, Any] | None = None
    for outside, inside in graph.captures:
        if hasattr(outside, "_numpy"):
            found[id(inside)] = outside
            continue
        if outer is None:
            around = getattr(outside, "graph", None)
            outer = eager_handles(around) if hasattr(around, "captures") and around is not graph else {}
        if id(outside) in outer:
            found[id(inside)] = outer[id(outside)]
    return found


def trainable(graph: Any) -> dict[int, bool]:
    """Whether the variable of a handle in the graph is trainable, as far as its graphs know it."""
    known = {id(variable.handle): bool(getattr(variable, "trainable", True)) for variable in variables(graph)}
    return {inside: known[id(handle)] for inside, handle in eager_handles(graph).items() if id(handle) in known}


def variables(graph: Any) -> list[Any]:
    """The variables of TensorFlow that a graph and those around it use."""
    found = {}
    while graph is not None and hasattr(graph, "_watched_variables"):
        # The property `variables` raises where the program has dropped one of them.
        for variable in [*graph._watched_variables, *(reference() for reference in graph._weak_variables)]:
            if getattr(variable, "handle", None) is not None:
                found[id(variable)] = variable
        graph = getattr(graph, "outer_graph", None)
    return list(found.values())


def facts(handle: Any) -> tuple[str, list[int]] | None:
    """Type and shape of the variable behind a handle; None where it is not a variable."""
    form = hidden_ops.form_of(handle)
    if form is None:
        return None
    dtypes = hidden_ops.tensorflow().dtypes
    return str(dtypes.as_dtype(form.dtype).name), [int(dim.size) for dim in form.shape.dim]


def symbolic_facts(handle: Any) -> tuple[Any, int | None]:
    """Type and bytes of the variable behind a handle in a graph; no type where it is not a variable."""
    data = getattr(handle, "_handle_data", None)
    if data is None:
        data = hidden_ops.module("ops.handle_data_util").get_resource_handle_data(handle)
    if data is None or not data.is_set or len(data.shape_and_type) != 1:
        return None, None
    tf = hidden_ops.tensorflow()
    dtype = tf.dtypes.as_dtype(data.shape_and_type[0].dtype)
    shape = tf.TensorShape(data.shape_and_type[0].shape)
    return dtype, shape.num_elements() * dtype.size if shape.is_fully_defined() else None


def read(handle: Any) -> Any:
    """The value of a variable now; None where it is not a variable."""
    found = tensors([handle])
    return found[0].numpy() if found else None


def tensors(many: list[Any]) -> list[Any]:
    """The values of variables as tensors, which keep them: what is written later does not change them. Empty where one
    is not a variable."""
    known = [facts(handle) for handle in many]
    tf = hidden_ops.tensorflow()
    dtypes = [tf.dtypes.as_dtype(fact[0]) for fact in known if fact is not None]
    if len(dtypes) != len(many):
        return []
    with hidden_ops.eagerly():
        pairs = zip(many, dtypes, strict=True)
        return [tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype) for handle, dtype in pairs]
