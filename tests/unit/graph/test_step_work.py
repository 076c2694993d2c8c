"""What is worked out once for all runs of a step."""

from __future__ import annotations

from tests.unit.graph.drawing import Drawing, table
from whydied.graph.expansion import Bindings, Expansion, expand
from whydied.graph.simulation import Simulation
from whydied.graph.step_memory import phases_of
from whydied.graph.step_work import Work

MIB = 1 << 20


def turns(count: int) -> Expansion:
    """One op that is called again and again, as in the turns of a loop."""
    body = Drawing("body")
    body.argument((MIB // 4,))
    inner = body.function(body.op("Relu", 0, shape=(MIB // 4,)))
    drawing = Drawing()
    last = drawing.op("Mystery", drawing.argument((MIB // 4,)), shape=(MIB // 4,))
    for _ in range(count):
        last = drawing.op("PartitionedCall", last, shape=(MIB // 4,), attributes={"f": "body"})
    return expand(table(drawing.function(last), inner), Bindings())


def test_each_turn_of_a_loop_has_its_own_cells() -> None:
    found = turns(3)
    relus = [number for number, node in enumerate(found.nodes) if node.op.type == "Relu"]
    work = Work(found)
    assert len({id(found.nodes[number].op) for number in relus}) == 1 < len(relus)
    for number in relus:
        (output,) = work.outputs[number]
        assert (output.cell,) == found.nodes[number].outputs
        assert output.reusable == found.nodes[number].inputs
        assert output.size_bytes == MIB
    assert len({work.seconds[number] for number in relus}) == 1
    assert Simulation(work, 1).step().tensor_bytes == MIB


def test_phases_are_worked_out_once_for_all_sizes() -> None:
    found = turns(2)
    assert phases_of(found._replace(cells=list(found.cells))) is phases_of(found)
    assert len(phases_of(found)) == len(found.nodes)
