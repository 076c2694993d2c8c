"""Where a value was made, and whether something is divided by it, on hand-made traces."""

from __future__ import annotations

from whydied.replay.execution.execution_trace import Event, Ref, Scope, Trace
from whydied.replay.execution.graph_nodes import Node
from whydied.replay.value_origins import origin


class Made:
    """A trace that grows op by op."""

    def __init__(self) -> None:
        self.trace = Trace()

    def op(self, kind: str, *inputs: Ref, outputs: int = 1, leaf: str = "") -> Ref:
        number = len(self.trace.events)
        node = Node(f"{kind}_{number}", kind, (), (), {}, outputs)
        self.trace.events.append(Event(number, Scope(), node, tuple(inputs), leaf))
        return Ref(number, 0)


def test_the_way_goes_through_what_leaves_values_as_they_are_and_a_constant_that_is_added() -> None:
    made = Made()
    dense = made.op("BiasAdd")
    small = made.op("Const", leaf="constant")
    sum_ = made.op("AddV2", made.op("Reshape", dense), small)
    assert origin(made.trace, sum_).event is made.trace.events[dense.event]
    assert not origin(made.trace, sum_).divides


def test_a_part_that_was_joined_from_parts_is_that_part() -> None:
    made = Made()
    loc, scale = made.op("BiasAdd"), made.op("BiasAdd")
    axis = made.op("Const", leaf="constant")
    joined = made.op("ConcatV2", loc, scale, axis)
    parts = made.op("Split", axis, joined, outputs=2)
    second = Ref(parts.event, 1)
    made.op("RealDiv", loc, second)
    found = origin(made.trace, second)
    assert found.event is made.trace.events[scale.event]
    assert found.divides


def test_a_sum_of_two_values_is_an_origin() -> None:
    made = Made()
    both = made.op("AddV2", made.op("MatMul"), made.op("MatMul"))
    assert origin(made.trace, both).event is made.trace.events[both.event]
