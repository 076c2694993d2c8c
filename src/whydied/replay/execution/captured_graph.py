"""A captured graph and its functions; runs in the process of the replay. Pure: nothing is executed here.

Loops of TensorFlow 1, made of Enter, Merge, Switch, NextIteration and Exit nodes, become nodes with a condition and a
body of their own, so that no cycle is left in a graph. One without such nodes is left as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from whydied.replay.execution.graph_nodes import Body, Node, Source, tensor_source
from whydied.replay.execution.op_kernels import Kernels
from whydied.replay.execution.replay_errors import ReplayError

LOOP = "_ClassicLoop"
_ENTERS = ("Enter", "RefEnter")
_EXITS = ("Exit", "RefExit")
_MERGES = ("Merge", "RefMerge")
_NEXT = ("NextIteration", "RefNextIteration")


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
        self.loops = _collapse_loops(nodes)
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


class Loop(NamedTuple):
    """The first `constants` arguments of both bodies stay the same; the rest are what the body gives."""

    condition: Body
    body: Body
    constants: int


def _collapse_loops(nodes: dict[str, Node]) -> dict[str, Loop]:
    """Replace each loop among the nodes by one node; returns the loops by the names of those."""
    frames: dict[str, list[Node]] = {}
    for node in nodes.values():
        if node.op in _ENTERS:
            frames.setdefault(node.attr["frame_name"].s.decode(), []).append(node)
    if not frames:
        return {}
    followers = _followers(nodes.values())
    members = {name: _members(nodes, followers, enters) for name, enters in frames.items()}
    # An inner loop has fewer nodes than the one around it, and is a single node of that when its turn comes.
    order = sorted(frames, key=lambda name: len(members[name]))
    return {f"{name}/loop": _collapse(nodes, name, frames[name], members[name]) for name in order}


def _followers(nodes: Iterable[Node]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node in nodes:
        for name in {source.node for source in node.inputs} | set(node.control):
            found.setdefault(name, []).append(node.name)
    return found


def _members(nodes: dict[str, Node], followers: dict[str, list[str]], enters: list[Node]) -> set[str]:
    """All nodes from the entrances of a loop to its exits; an inner loop and its exits are among them."""
    own = [name for enter in enters for name in followers.get(enter.name, ()) if nodes[name].op in _MERGES]
    exits = {
        name
        for merge in own
        for switch in followers.get(merge, ())
        if nodes[switch].op in ("Switch", "RefSwitch")
        for name in followers.get(switch, ())
        if nodes[name].op in _EXITS
    }
    found = {node.name for node in enters} | exits
    waiting = [node.name for node in enters]
    while waiting:
        for name in followers.get(waiting.pop(), ()):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found


def _collapse(nodes: dict[str, Node], frame: str, enters: list[Node], members: set[str]) -> Loop:
    inside = {name: nodes[name] for name in members if name in nodes}
    varying = [
        (node, source.node)
        for node in inside.values()
        if node.op in _MERGES
        for source in node.inputs
        if source.node in {enter.name for enter in enters}
    ]
    merges = [merge for merge, _ in varying]
    starts = [nodes[name] for _, name in varying]
    constants = [enter for enter in enters if enter not in starts]
    condition = next((node for node in inside.values() if node.op == "LoopCond"), None)
    if condition is None or not merges:
        raise ReplayError(f"the loop {frame} has no condition")
    arguments = [node.name for node in (*constants, *merges)]
    held = _inner(inside, merges, enters, condition)
    results = [_next(inside, merge) for merge in merges]
    loop = Loop(
        _body(f"{frame}/condition", held, arguments, [condition.inputs[0]], ()),
        _body(
            frame, held, arguments, [node.inputs[0] for node in results], [c for node in results for c in node.control]
        ),
        len(constants),
    )
    _replace(nodes, inside, frame, [*constants, *starts], merges)
    return loop


def _inner(inside: dict[str, Node], merges: list[Node], enters: list[Node], condition: Node) -> dict[str, Node]:
    """The nodes of the bodies. Within a round the loop's own switches let everything through."""
    outer = {node.name for node in (*merges, *enters)} | {condition.name}
    held = {}
    for node in inside.values():
        if node.name in outer or node.op in _NEXT or node.op in _EXITS:
            continue
        if node.op in ("Switch", "RefSwitch") and node.inputs[1].node == condition.name:
            held[node.name] = Node(node.name, "IdentityN", (node.inputs[0], node.inputs[0]), (), {}, 2)
        else:
            held[node.name] = node
    held[condition.name] = Node(condition.name, "Identity", condition.inputs, (), {}, 1)
    return held


def _next(inside: dict[str, Node], merge: Node) -> Node:
    for source in merge.inputs:
        node = inside.get(source.node)
        if node is not None and node.op in _NEXT:
            return node
    raise ReplayError(f"the loop variable {merge.name} has no next value")


def _body(
    name: str, held: dict[str, Node], arguments: list[str], results: list[Source], effects: Iterable[str]
) -> Body:
    given = {argument: Node(argument, "_Arg", (), (), {}, 1) for argument in arguments}
    body = Body(name, {**held, **given}, arguments)
    body.results = tuple(results)
    body.effects = tuple(dict.fromkeys(effects))
    return body


def _replace(
    nodes: dict[str, Node], inside: dict[str, Node], frame: str, starts: list[Node], merges: list[Node]
) -> None:
    at = {merge.name: number for number, merge in enumerate(merges)}
    loop = f"{frame}/loop"
    for node in inside.values():
        switch = inside.get(node.inputs[0].node) if node.op in _EXITS else None
        del nodes[node.name]
        if switch is not None and switch.inputs[0].node in at:
            source = Source(loop, at[switch.inputs[0].node])
            nodes[node.name] = Node(node.name, "Identity", (source,), (), {}, 1)
    control = [name for node in starts for name in node.control]
    nodes[loop] = Node(loop, LOOP, [node.inputs[0] for node in starts], list(dict.fromkeys(control)), {}, len(merges))
