"""Final graphs: loops and branches of primitive ops, and steps that begin with what the allocator really has."""

from __future__ import annotations

from typing import Any

import pytest

from whydied.graph.allocator_model import Allocator
from whydied.graph.dataflow import expand_final
from whydied.graph.expansion import Bindings, Expansion
from whydied.graph.op_table import Function, Op, Table, Variable
from whydied.graph.simulation import Simulation, Start

MB = 1 << 20


def final(*ops: Op, variables: tuple[Variable, ...] = ()) -> Table:
    arguments = tuple(number for number, op in enumerate(ops) if op.type == "_Arg")
    results = tuple((number, 0) for number, op in enumerate(ops) if op.type == "_Retval")
    return Table("step", (Function("step", ops, arguments, results),), variables=variables, threads=1, origin="final")


def op(name: str, kind: str, *inputs: tuple[int, int], shape: Any = (), dtype: str = "int32", **more: Any) -> Op:
    outputs = more.pop("outputs", 1)
    return Op(name, kind, inputs, shapes=(shape,) * outputs, dtypes=(dtype,) * outputs, **more)


def types(step: Expansion) -> list[str]:
    return [node.op.type for node in step.nodes]


def loop(turns: int | None) -> Table:
    """`i = 0; while i < turns: x = relu(x); i += 1`, lowered; without `turns` nobody can know its end."""
    bound = op("turns", "Const", value=(turns,)) if turns is not None else op("turns", "Unknown")
    frame = {"frame": "while", "constant": False}
    return final(
        op("x", "_Arg", shape=(None, 4), dtype="float32"),
        op("zero", "Const", value=(0,)),
        bound,
        op("i/enter", "Enter", (1, 0), attributes=frame),
        op("bound/enter", "Enter", (2, 0), attributes={"frame": "while", "constant": True}),
        op("x/enter", "Enter", (0, 0), shape=None, dtype="float32", attributes=frame),
        op("i/merge", "Merge", (3, 0), (16, 0), outputs=2),
        op("x/merge", "Merge", (5, 0), (15, 0), shape=None, dtype="float32", outputs=2),
        op("less", "Less", (6, 0), (4, 0), dtype="bool"),
        op("cond", "LoopCond", (8, 0), dtype="bool"),
        op("i/switch", "Switch", (6, 0), (9, 0), outputs=2),
        op("x/switch", "Switch", (7, 0), (9, 0), shape=None, dtype="float32", outputs=2),
        op("relu", "Relu", (11, 1), shape=None, dtype="float32"),
        op("one", "Const", value=(1,)),
        op("next", "AddV2", (10, 1), (17, 0)),
        op("x/back", "NextIteration", (12, 0), shape=None, dtype="float32"),
        op("i/back", "NextIteration", (14, 0)),
        op("one/enter", "Enter", (13, 0), attributes={"frame": "while", "constant": True}),
        op("x/exit", "Exit", (11, 0), shape=None, dtype="float32"),
        op("result", "_Retval", (18, 0), shape=None, dtype="float32"),
    )


@pytest.mark.parametrize("turns", [0, 1, 7])
def test_a_loop_runs_as_often_as_its_condition_says(turns: int) -> None:
    step = expand_final(loop(turns), Bindings(batch=8))
    assert types(step).count("Relu") == turns
    assert [step.cells[cell].shape for cell in step.results] == [(8, 4)]


def test_a_loop_that_nobody_can_count_runs_once() -> None:
    step = expand_final(loop(None), Bindings(batch=8))
    assert types(step).count("Relu") == 1
    assert len(step.results) == 1


@pytest.mark.parametrize(("chosen", "runs", "rests"), [(1, "Relu", "Tanh"), (0, "Tanh", "Relu")])
def test_only_the_branch_that_is_taken_runs(chosen: int, runs: str, rests: str) -> None:
    table = final(
        op("x", "_Arg", shape=(None, 4), dtype="float32"),
        op("flag", "Const", dtype="bool", value=(chosen,)),
        op("switch", "Switch", (0, 0), (1, 0), shape=None, dtype="float32", outputs=2),
        op("tanh", "Tanh", (2, 0), shape=None, dtype="float32"),
        op("relu", "Relu", (2, 1), shape=None, dtype="float32"),
        op("merge", "Merge", (3, 0), (4, 0), shape=None, dtype="float32", outputs=2),
        op("last", "Square", (5, 0), shape=None, dtype="float32"),
        op("result", "_Retval", (6, 0), shape=None, dtype="float32"),
    )
    step = expand_final(table, Bindings(batch=2))
    assert runs in types(step)
    assert rests not in types(step)
    assert [step.cells[cell].shape for cell in step.results] == [(2, 4)]


def test_a_node_stands_after_what_it_takes() -> None:
    step = expand_final(loop(5), Bindings(batch=8))
    for number, node in enumerate(step.nodes):
        assert all(step.cells[cell].node < number for cell in node.inputs)


def test_a_call_that_was_not_inlined_gives_nothing_before_all_of_it_is_done() -> None:
    size = {"shape": (MB // 4,), "dtype": "float32"}
    outer = final(
        op("x", "_Arg", **size),
        op("call", "PartitionedCall", (0, 0), **size, outputs=2, attributes={"f": "compiled"}),
        op("after", "Mystery", (1, 0), **size),
        op("result", "_Retval", (2, 0), **size),
    )
    inner = (op("given", "Placeholder", **size), op("a", "Mystery", (0, 0), **size), op("b", "Mystery", (0, 0), **size))
    compiled = Function("compiled", inner, (0,), ((1, 0), (2, 0)))
    step = expand_final(Table("step", (*outer.functions, compiled), threads=1, origin="final"), Bindings(1))
    names = [node.op.name for node in step.nodes]
    (after,) = [node for node in step.nodes if node.op.name == "after"]
    passed = step.nodes[step.cells[after.inputs[0]].node]
    assert {names[number] for number in passed.controls} == {"a", "b"}


def test_a_restored_allocator_takes_its_free_chunks_first() -> None:
    allocator = Allocator.restored([(0, 3 * MB)], 64 * MB)
    allocator.take(2 * MB)
    # 3 MB are less than twice the request: the chunk is given whole.
    assert allocator.used_bytes == 3 * MB
    assert allocator.touched_bytes == 0
    allocator.take(2 * MB)
    assert allocator.used_bytes == 5 * MB
    assert allocator.touched_bytes == 2 * MB


def test_memory_is_touched_once() -> None:
    allocator = Allocator()
    for _ in range(3):
        allocator.give_back(allocator.take(MB))
    assert allocator.touched_bytes == MB


def updating(variables: int) -> Table:
    """Adds a tensor to each variable."""
    known = tuple(Variable(f"v{number}", (MB,), "float32") for number in range(variables))
    ops = [op("x", "_Arg", shape=(None, MB), dtype="float32")]
    ops += [op(f"v{number}", "_Arg", dtype="resource", variable=number) for number in range(variables)]
    ops.append(op("sum", "Sum", (0, 0), shape=(MB,), dtype="float32"))
    last = len(ops) - 1
    ops += [op(f"add{n}", "AssignAddVariableOp", (1 + n, 0), (last, 0), outputs=0) for n in range(variables)]
    return final(*ops, variables=known)


def test_variables_that_share_memory_part_when_they_are_written() -> None:
    table = updating(2)
    step = expand_final(table, Bindings(batch=1))
    apart = Simulation(step, 1, 0, Start(variables=((0, 1000 * MB), (1, 2000 * MB)), ready=1))
    shared = Simulation(step, 1, 0, Start(variables=((0, 1000 * MB), (1, 1000 * MB)), ready=1))
    assert apart.base_bytes == 8 * MB
    assert shared.base_bytes == 4 * MB
    assert shared.step().above_bytes == apart.step().above_bytes + 4 * MB


def test_a_pipeline_holds_more_than_one_batch() -> None:
    step = expand_final(updating(1), Bindings(batch=2))
    one = Simulation(step, 1, 0, Start(ready=1)).step().above_bytes
    four = Simulation(step, 1, 0, Start(ready=4)).step().above_bytes
    assert four >= one + 3 * 2 * 4 * MB
