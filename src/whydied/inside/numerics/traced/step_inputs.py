"""What a step was given, as values of its capture; runs in the user's process, at a capture.

Invariant: names are those of the function's arguments; in a step of Keras they are x, y and sample_weight.
"""

from __future__ import annotations

import re
from typing import Any

from whydied.inside.guest.frame_variables import variables
from whydied.inside.numerics import data_set_rows, hidden_ops, step_file, waiting_frames
from whydied.inside.numerics.traced.finite_watch import Plan
from whydied.inside.numerics.variable_names import Names
from whydied.records import FedValue

_KERAS_STEPS = frozenset(
    {"one_step_on_data", "train_step", "step_function", "run_step", "train_function", "test_step", "test_function"}
)
_GENERIC = re.compile(r"args_\d+|batch|arg\d*$|Placeholder")
"""Names that nobody gave: what the data set is called tells more."""
_PARTS = ("x", "y", "sample_weight")


def values(
    plan: Plan, arrays: list[Any], directory: step_file.CaptureDirectory, missing: list[str], known: Names
) -> list[FedValue]:
    captured = {id(inside): outside for outside, inside in plan.graph.captures}
    names = {**_names(plan.graph), **_held(captured, known)}
    found = []
    finder = data_set_rows.Finder()
    for tensor, value in zip(plan.fed, arrays, strict=True):
        name = names.get(id(tensor), tensor.op.name)
        role = "other" if id(tensor) in captured or value.ndim == 0 else "batch"
        file, reason = directory.array(f"fed-{name}", value)
        if file is None:
            missing.append(f"{name} was not kept: {reason}.")
        rows = finder.find(name, value) if role == "batch" else None
        if rows is not None and _GENERIC.match(name):
            name = rows.data_set
        found.append(
            FedValue(
                tensor=tensor.name,
                name=name,
                role=role,
                shape=list(value.shape),
                dtype=tensor.dtype.base_dtype.name,
                file=file,
                reason=reason,
                rows=rows.rows if rows is not None else [],
                data_set=rows.data_set if rows is not None else "",
                numbers=step_file.numbers_of(value),
            )
        )
    return found


def _held(captured: dict[int, Any], known: Names) -> dict[int, str]:
    """What the program calls the tensors that the graph took from outside, by the id of those inside."""
    stack = [pair for frame in waiting_frames.user_frames() for pair in variables(frame)]
    mine = {id(value): name for name, value in reversed(stack) if type(value).__name__ == "EagerTensor"}
    named = {inside: known.of_tensor(outside) or mine.get(id(outside), "") for inside, outside in captured.items()}
    return {inside: name for inside, name in named.items() if name}


def _names(graph: Any) -> dict[int, str]:
    """What the user calls the arguments, by the id of their tensors."""
    nest = hidden_ops.module("util.nest")
    specs = hidden_ops.module("framework.tensor").TensorSpec
    signature = getattr(graph, "structured_input_signature", None)
    captured = {id(inside) for _, inside in graph.captures}
    tensors = [tensor for tensor in graph.inputs if id(tensor) not in captured and tensor.dtype != "resource"]
    found: dict[int, str] = {}
    if signature is not None:
        flat = nest.flatten_with_tuple_paths(signature, expand_composites=True)
        paths = [path for path, spec in flat if isinstance(spec, specs) and spec.dtype != "resource"]
        if len(paths) == len(tensors):
            for tensor, path in zip(tensors, paths, strict=True):
                found[id(tensor)] = _name(tensor, path[2:], str(graph.name))
    for op in graph.get_operations():
        if op.type.startswith("IteratorGetNext"):
            single = len(op.outputs) <= 1
            keras = str(graph.name) == "multi_step_on_iterator" and len(op.outputs) <= len(_PARTS)
            for number, tensor in enumerate(op.outputs):
                found[id(tensor)] = _PARTS[number] if keras else "batch" if single else f"batch[{number}]"
    return found


def _name(tensor: Any, path: tuple[Any, ...], function: str) -> str:
    attributes = tensor.op.node_def.attr
    given = attributes["_user_specified_name"].s if "_user_specified_name" in attributes else b""
    name = given.decode("utf-8", "replace") or str(tensor.op.name)
    if function in _KERAS_STEPS and name in ("data", "iterator") and path:
        place = path[0]
        if isinstance(place, int) and place < len(_PARTS):
            name, path = _PARTS[place], path[1:]
    elif function in _KERAS_STEPS and name in ("data", "iterator"):
        name = "x"
    return name + "".join(f"[{part!r}]" for part in path if part != type(part).__name__)
