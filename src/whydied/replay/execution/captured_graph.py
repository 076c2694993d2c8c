"""A captured graph and its functions; runs in the process of the replay. Pure: nothing is executed here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from whydied.replay.execution.graph_nodes import Body, Node, Source, tensor_source
from whydied.replay.execution.op_kernels import Kernels
from whydied.replay.execution.replay_errors import ReplayError
from whydied.replay.execution.v1_loops import Loop, collapse


class Program:
    """The graph of a capture and the functions that it calls."""

    def __init__(self, graph_def: Any, kernels: Kernels) -> None:
        self._kernels = kernels
        self.library = graph_def.library
        self._definitions = {function.signature.name: function for function in self.library.function}
        self._bodies: dict[str, Body] = {}
        self.loops: dict[str, Loop] = {}
        self.top = self._graph(graph_def.node)

    def is_function(self, name: str) -> bool:
        return name in self._definitions

    def function(self, name: str) -> Body:
        if name not in self._bodies:
            if name not in self._definitions:
                raise ReplayError(f"the captured graph calls the function {name}, which it does not contain")
            self._bodies[name] = self._function(self._definitions[name])
        return self._bodies[name]

    def body(self, functions: Sequence[str], node: str) -> Body:
        """Where a node is: in the innermost of the functions around it; without any, in the graph or a loop of it."""
        if functions:
            return self.function(functions[-1])
        return next((loop.body for loop in self.loops.values() if node in loop.body.nodes), self.top)

    def find(self, name: str) -> Node | None:
        """A node of the graph or of any function."""
        loops = [loop.body for loop in self.loops.values()]
        for body in (self.top, *loops, *map(self.function, self._definitions)):
            if name in body.nodes:
                return body.nodes[name]
        return None

    def _graph(self, definitions: Iterable[Any]) -> Body:
        nodes = {}
        for definition in definitions:
            inputs, control = _split(definition.input, tensor_source)
            outputs = self._width(definition)
            nodes[definition.name] = Node(definition.name, definition.op, inputs, control, definition.attr, outputs)
        self.loops = collapse(nodes)
        return Body("", nodes, ())

    def _function(self, definition: Any) -> Body:
        arguments = [argument.name for argument in definition.signature.input_arg]
        starts: dict[str, dict[str, int]] = {}
        for node in definition.node_def:
            starts[node.name] = self._starts(node)

        def source(text: str) -> Source:
            parts = text.split(":")
            if len(parts) < 3:
                return Source(parts[0], 0)
            return Source(parts[0], starts[parts[0]][parts[1]] + int(parts[2]))

        nodes = {name: Node(name, "_Arg", (), (), {}, 1) for name in arguments}
        for node in definition.node_def:
            inputs, control = _split(node.input, source)
            nodes[node.name] = Node(node.name, node.op, inputs, control, node.attr, self._width(node))
        body = Body(definition.signature.name, nodes, arguments)
        body.results = tuple(source(definition.ret[result.name]) for result in definition.signature.output_arg)
        body.effects = tuple(definition.control_ret.values())
        return body

    def _width(self, definition: Any) -> int:
        if definition.op in self._definitions:
            return len(self._definitions[definition.op].signature.output_arg)
        return sum(width for _, width in self._kernels.output_widths(definition.op, definition.attr))

    def _starts(self, definition: Any) -> dict[str, int]:
        """Where each named output of a node begins among its outputs."""
        if definition.op in self._definitions:
            signature = self._definitions[definition.op].signature
            return {argument.name: at for at, argument in enumerate(signature.output_arg)}
        found, at = {}, 0
        for name, width in self._kernels.output_widths(definition.op, definition.attr):
            found[name] = at
            at += width
        return found


def _split(inputs: Iterable[str], source: Any) -> tuple[list[Source], list[str]]:
    data, control = [], []
    for text in inputs:
        if text.startswith("^"):
            control.append(text[1:])
        else:
            data.append(source(text))
    return data, control
