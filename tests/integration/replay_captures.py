"""Captures of small real steps, written by hand: for the scenarios that are replayed.

A traced step is captured from its ConcreteFunction, a session's from its graph, with the values before the step.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from whydied.inside.numerics import step_file
from whydied.records import Capture, FedValue, Frame, Lines, NodeLine, StateValue, Suspect

Array = Any
_FILES = ("replay_scenarios.py", "replay_steps.py", "replay_keras.py", "replay_sessions.py")
SCENARIOS = {str(Path(__file__).with_name(name)) for name in _FILES}
"""Whose lines are the user's."""


class Step(NamedTuple):
    """`function` is called with `arguments`, whose names are the users' names; `rows` are those of the data set."""

    function: Callable[..., dict[str, Any]]
    arguments: dict[str, Array]
    layers: tuple[str, ...] = ()
    names: dict[int, str] | None = None
    rows: dict[str, list[int]] | None = None


class Writer:
    """The directory of one capture."""

    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True)
        self.path = path
        self.directory = step_file.CaptureDirectory(str(path), path.name, 1 << 28)

    def fed(self, tensor: Any, name: str, value: Array, rows: list[int]) -> FedValue:
        file, _ = self.directory.array(name, value)
        dtype = tensor.dtype.name
        return FedValue(
            tensor=tensor.name,
            name=name,
            role="batch",
            shape=list(value.shape),
            dtype=dtype,
            file=file,
            rows=rows,
            data_set="x" if rows else "",
        )

    def state(self, node: str, name: str, value: Array) -> StateValue:
        file, _ = self.directory.array(name, value)
        dtype = tf.as_dtype(value.dtype).name
        return StateValue(node=node, name=name, role="weight", shape=list(value.shape), dtype=dtype, file=file)


def build(step: Step, path: Path) -> None:
    """Write the capture of a step, with the values as they are now."""
    writer = Writer(path)
    arguments = [tf.constant(value) for value in step.arguments.values()]
    function = step.function.get_concrete_function(*arguments)
    graph = function.graph
    inputs = graph.inputs[: len(arguments)]
    fed = [
        writer.fed(tensor, name, np.asarray(value), (step.rows or {}).get(name, []))
        for tensor, (name, value) in zip(inputs, step.arguments.items(), strict=True)
    ]
    state = _state(writer, graph, step)
    targets = {name: _target(graph, tensor) for name, tensor in function.structured_outputs.items()}
    suspects = []
    for name, value in step.function(*arguments).items():
        numbers = step_file.numbers_of(value.numpy())
        if numbers.nonfinite:
            short = name.partition(" of ")[2] or name
            suspects.append(Suspect(role=name.split()[0], name=short, tensor=targets[name], numbers=numbers))
    writer.directory.graph(graph.as_graph_def())
    writer.directory.lines(_lines(graph, step.layers))
    writer.directory.finish(
        Capture(kind="traced", suspects=suspects, fed=fed, state=state, targets=list(targets.values()))
    )


def _state(writer: Writer, graph: Any, step: Step) -> list[StateValue]:
    variables = {id(variable.handle): variable for variable in graph.variables}
    found = []
    for outer, inner in graph.captures:
        variable = variables.get(id(outer))
        if variable is not None:
            name = (step.names or {}).get(id(variable), variable.name.partition(":")[0])
            found.append(writer.state(inner.op.name, name, variable.numpy()))
    return found


def _target(graph: Any, tensor: Any) -> str:
    """The tensor itself, and not the Identity that waits for all that the function does."""
    output = next(one for one in graph.outputs if one.name == tensor.name) if tensor.graph is graph else tensor
    return output.op.inputs[0].name if output.op.type == "Identity" else output.name


def _lines(graph: Any, layers: tuple[str, ...]) -> Lines:
    functions = {"": _graph_lines(graph, layers)}
    for name, inner in _inner_graphs(graph):
        functions[name] = _graph_lines(inner, layers)
    return Lines(functions=functions)


def _inner_graphs(graph: Any) -> list[tuple[str, Any]]:
    names = [definition.signature.name for definition in graph.as_graph_def().library.function]
    found = [(name, getattr(graph._get_function(name), "graph", None)) for name in names]
    return [(name, inner) for name, inner in found if inner is not None]


def _graph_lines(graph: Any, layers: tuple[str, ...]) -> dict[str, NodeLine]:
    found = {}
    for op in graph.get_operations():
        frames = [
            Frame(file=frame.filename, line=frame.lineno, function=frame.name, user=True)
            for frame in op.traceback or ()
            if frame.filename in SCENARIOS and not frame.name.startswith(("build", "main", "<module>"))
        ]
        parts = [re.sub(r"_\d+$", "", part) for part in op.name.split("/")]
        layer = next((layer for layer in reversed(layers) if layer in parts), "")
        found[op.name] = NodeLine(frames=frames, layer=layer)
    return found


class Session(NamedTuple):
    """A step of a session in a graph of TensorFlow 1: what is fed by name, the variables, and what is looked at."""

    graph: Any
    fed: dict[str, tuple[Any, Array]]
    variables: dict[str, Any]
    targets: dict[str, Any]


def build_session(step: Session, path: Path) -> None:
    """Write the capture of a run, with the variables as they are initialised."""
    writer = Writer(path)
    v1 = tf.compat.v1
    with step.graph.as_default(), v1.Session() as session:
        session.run(v1.global_variables_initializer())
        state = [
            writer.state(variable.op.name, name, session.run(variable)) for name, variable in step.variables.items()
        ]
        values = session.run(step.targets, dict(step.fed.values()))
    suspects = []
    for name, value in values.items():
        numbers = step_file.numbers_of(value)
        if numbers.nonfinite:
            tensor = step.targets[name].name
            suspects.append(Suspect(role=name.split()[0], name=name.split()[-1], tensor=tensor, numbers=numbers))
    writer.directory.graph(step.graph.as_graph_def())
    writer.directory.lines(Lines(functions={"": _graph_lines(step.graph, ())}))
    fed = [writer.fed(tensor, name, value, []) for name, (tensor, value) in step.fed.items()]
    targets = [tensor.name for tensor in step.targets.values()]
    writer.directory.finish(Capture(kind="session", suspects=suspects, fed=fed, state=state, targets=targets))


def rng() -> Any:
    return np.random.default_rng(7)


def positive(rows: int = 8, columns: int = 4) -> Array:
    return rng().uniform(0.5, 1.5, (rows, columns)).astype("float32")
