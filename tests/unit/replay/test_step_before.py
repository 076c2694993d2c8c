"""What is computed from the counter of steps alone."""

from __future__ import annotations

from whydied.replay.execution.graph_nodes import Body, Node, Source
from whydied.replay.step_before import _counted


def node(name: str, op: str, *inputs: str) -> Node:
    return Node(name, op, [Source(one, 0) for one in inputs], (), {}, 1)


def body(*nodes: Node) -> Body:
    return Body("", {one.name: one for one in nodes}, ())


def test_the_ends_of_what_depends_on_the_counter_and_constants() -> None:
    found = _counted(
        body(
            node("counter", "VarHandleOp"),
            node("read", "ReadVariableOp", "counter"),
            node("warmup", "Const"),
            node("left", "Sub", "read", "warmup"),
            node("rate", "Rsqrt", "left"),
            node("gradient", "MatMul"),
            node("update", "Mul", "rate", "gradient"),
            node("next", "AssignAddVariableOp", "counter", "warmup"),
        ),
        "counter",
    )
    assert found == (Source("rate", 0),)


def test_a_counter_that_is_not_in_the_graph_has_none() -> None:
    assert _counted(body(node("other", "Const")), "counter") == ()
