"""Loops of TensorFlow 1, made of Enter, Merge, Switch, NextIteration and Exit nodes, as nodes with a condition and a
body of their own; used in the process of the replay. Pure: works on nodes.

Invariant: a graph without such nodes is left as it is. After it no cycle is left in a graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from whydied.replay.execution.graph_nodes import Body, Node, Source
from whydied.replay.execution.replay_errors import ReplayError

LOOP = "_ClassicLoop"
_ENTERS = ("Enter", "RefEnter")
_EXITS = ("Exit", "RefExit")
_MERGES = ("Merge", "RefMerge")
_NEXT = ("NextIteration", "RefNextIteration")


class Loop(NamedTuple):
    """The first `constants` arguments of both bodies stay the same; the rest are what the body gives."""

    condition: Body
    body: Body
    constants: int


def collapse(nodes: dict[str, Node]) -> dict[str, Loop]:
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
