"""Which ops may leave their domain: those whose argument nothing holds."""

from __future__ import annotations

import pytest

from whydied.replay.execution.execution_trace import Event, Ref, Scope, Trace
from whydied.replay.execution.graph_nodes import Node
from whydied.replay.near_edge import _may_leave


def trace_of(*ops: tuple[str, tuple[int, ...]]) -> Trace:
    trace = Trace()
    for number, (op, inputs) in enumerate(ops):
        leaf = {"Const": "constant", "Feed": "feed"}.get(op, "")
        node = Node(f"{op}_{number}", op, (), (), {}, 1)
        event = Event(number, Scope(), node, tuple(Ref(at, 0) for at in inputs), leaf)
        event.bad = [False]
        trace.events.append(event)
    return trace


@pytest.mark.parametrize(
    ("ops", "may"),
    [
        ((("Feed", ()), ("Softmax", (0,)), ("Log", (1,))), True),
        ((("Feed", ()), ("Softmax", (0,)), ("Reshape", (1,)), ("Log", (2,))), True),
        ((("Feed", ()), ("Const", ()), ("Sub", (1, 0)), ("Softmax", (0,)), ("Add", (3, 1)), ("Log", (4,))), False),
        ((("Feed", ()), ("Softmax", (0,)), ("ClipByValue", (1,)), ("Log", (2,))), False),
        ((("Feed", ()), ("Log", (0,))), False),
        ((("Feed", ()), ("Softmax", (0,)), ("Tanh", (1,))), False),
    ],
)
def test_only_an_unguarded_computed_argument(ops: tuple[tuple[str, tuple[int, ...]], ...], may: bool) -> None:
    trace = trace_of(*ops)
    assert _may_leave(trace, trace.events[-1]) is may
