"""Lines and layers of the ops of a trace; runs in the process of the replay. Pure.

Invariant: an op of the backward pass has the line of the forward op whose gradient it computes; its own is the
line that asked for all gradients, which says nothing.
"""

from __future__ import annotations

import re

from whydied.records import Lines, NodeLine
from whydied.replay import first_bad_value
from whydied.replay.execution.captured_graph import Program
from whydied.replay.execution.execution_trace import Event
from whydied.replay.execution.graph_nodes import Body, Node, Source

_SILENT = frozenset(
    {"Shape", "ShapeN", "Size", "Rank", "Const", "Variable", "Placeholder", "ReadVariableOp", "Identity", "Reshape"}
    | {"Greater", "Less", "Equal", "NotEqual", "LessEqual", "GreaterEqual", "IsNan", "IsFinite", "IsInf", "Cast"}
    | {"ZerosLike", "OnesLike", "Fill", "NoOp", "TensorListPushBack", "TensorListSetItem", "Switch", "Merge"}
)
_DOMAIN = frozenset(
    {"Log", "Log1p", "Sqrt", "Rsqrt", "RealDiv", "Div", "DivNoNan", "Reciprocal", "Inv", "Pow", "Acos", "Asin"}
    | {"Acosh", "Atanh", "Exp", "Expm1", "Tan", "Erfinv", "Xlogy", "Xdivy", "Atan2", "Lgamma", "Digamma"}
    | {"Cholesky", "MatrixInverse", "SelfAdjointEigV2", "Svd", "Qr", "MatrixSolve", "Prod", "Cumprod", "Norm"}
)
"""Ops with values at which the gradient is not finite though the result is."""
_NOWHERE = frozenset({"Const", "Shape", "AddN"})
_NAMED = re.compile(r"(?:^|/)(?:gradient_tape|gradients(?:_\d+)?)/(.+?)_grad(?:_\d+)?/")
_LARGEST_DEPTH = 6


class LineTable:
    """The lines of a capture. A function that TensorFlow rewrote has the nodes of the one it was made from."""

    def __init__(self, lines: Lines) -> None:
        self._functions = lines.functions
        self._anywhere: dict[str, NodeLine] = {}
        for nodes in lines.functions.values():
            for name, line in nodes.items():
                self._anywhere.setdefault(name, line)

    def own(self, event: Event) -> NodeLine | None:
        """The line that an op itself was made at."""
        function = event.scope.functions[-1] if event.scope.functions else ""
        return self._functions.get(function, {}).get(event.node.name) or self._anywhere.get(event.node.name)

    def of(self, program: Program, event: Event) -> NodeLine | None:
        """The line that tells most: of a backward op, that of its forward op; in a function that was loaded and has no
        lines, that of its call."""
        found = None
        if first_bad_value.is_backward(event):
            forward = forward_of(program, event)
            found = self._anywhere.get(forward.name) if forward is not None else None
        return found or self.own(event) or self._of_call(program, event.scope.functions)

    def _of_call(self, program: Program, functions: tuple[str, ...]) -> NodeLine | None:
        for depth in range(len(functions) - 1, -1, -1):
            outer = functions[depth - 1] if depth else ""
            body = program.function(outer) if depth else program.top
            for node in body.nodes.values():
                line = self._functions.get(outer, {}).get(node.name) or self._anywhere.get(node.name)
                if line is not None and line.frames and _calls(node, functions[depth]):
                    return line
        return None


def _calls(node: Node, function: str) -> bool:
    if node.op == function:
        return True
    values = list(node.attr.values()) if node.attr else []
    named = [value.func.name for value in values] + [one.name for value in values for one in value.list.func]
    return function in named


def forward_of(program: Program, event: Event) -> Node | None:
    """The forward op whose gradient a backward op computes; None where it cannot be told.

    In functions that TensorFlow made and in eager captures, the name of a backward op holds its forward op's. Elsewhere
    it holds only the scope. But a gradient is computed from what its forward op was given and gave: it is one of those
    that have a tensor in common with it, and of these the likeliest by scope and type.
    """
    named = _NAMED.search(event.node.name)
    if named is not None:
        found = program.find(named[1])
        if found is not None:
            return found
    body = program.body(event.scope.functions, event.node.name)
    shared = _shared(body, event.node)
    scope = _scope(event.node.name)
    best, best_score = None, 0
    for other in body.nodes.values():
        if other.op in _SILENT or first_bad_value.is_backward_name(other.name):
            continue
        gave = any(source.node == other.name for source in shared)
        if not gave and shared.isdisjoint(other.inputs):
            continue
        score = 1 + _likeness(event.node, other, scope) + gave
        if score > best_score:
            best, best_score = other, score
    return best


def _shared(body: Body, node: Node) -> set[Source]:
    """The nearest values of the forward pass behind a backward op, those that the same gradient was made from."""
    level, seen = [node], {node.name}
    for _ in range(_LARGEST_DEPTH):
        shared: set[Source] = set()
        following: list[Node] = []
        for source in (source for one in level for source in one.inputs):
            other = body.nodes.get(source.node)
            if other is None or source.node in seen or other.op in _NOWHERE:
                continue
            if first_bad_value.is_backward_name(other.name):
                seen.add(other.name)
                following.append(other)
            else:
                shared.add(source)
        if shared:
            return shared
        level = following
    return set()


def _likeness(backward: Node, forward: Node, scope: str) -> int:
    score = 0
    if backward.op in (f"{forward.op}Grad", f"{forward.op}GradV2"):
        score += 16
    if forward.op in _DOMAIN:
        score += 4
    if scope and forward.name == scope:
        score += 12
    elif scope == forward.name.rpartition("/")[0]:
        score += 2
    return score


def _scope(name: str) -> str:
    """The scope of a backward op without what marks it as such."""
    found = list(first_bad_value.GRADIENT.finditer(name))
    return (name[found[-1].end() :] if found else name).rpartition("/")[0]
