from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from recordings import path_of, unpack
from tests.unit.diagnose.case_of import recording_of
from whydied.diagnose.case import Case
from whydied.graph.op_table import Function, Line, Op, Table, Variable
from whydied.read.recording import load
from whydied.read.steps import Graphs
from whydied.records import GraphRecorded, LayerSeen, ModelSeen, Record
from whydied.report.tensorboard.drawn_graph import Node, nodes_of

INNER = Function(
    "inner",
    (
        Op("x", "Placeholder"),
        Op("w", "Placeholder"),
        Op("dense/MatMul", "MatMul", ((0, 0), (1, 0)), (), ((None, 4),), ("float32",), line=0),
        Op("Identity", "Identity", ((2, 0),)),
    ),
    inputs=(0, 1),
    outputs=((3, 0),),
)
OUTER = Function(
    "step",
    (
        Op("data", "Placeholder"),
        Op("17", "Placeholder", variable=0),
        Op("call", "StatefulPartitionedCall", ((0, 0), (1, 0)), attributes={"f": "inner"}),
        Op("Identity", "Identity", ((2, 0),), (2,)),
    ),
    inputs=(0, 1),
    outputs=((3, 0),),
)
TABLE = Table(
    "step", (OUTER, INNER), (Line("/home/ann/train.py", 5, "call"),), (), (Variable("dense/kernel", (3, 4), "float32"),)
)


def nodes(*records: Record, tables: dict[str, Table] | None = None) -> dict[str, Node]:
    recording = recording_of(process=list(records), exit_code=0)
    recording.graphs = Graphs(tables=tables)
    return {node.name: node for node in nodes_of(Case(recording))}


def recorded(function: str, file: str) -> GraphRecorded:
    return GraphRecorded(function=function, file=file, operations=4)


def test_a_called_function_is_put_in_its_place() -> None:
    found = nodes(recorded("step", "a"), tables={"a": TABLE})
    assert found["dense/MatMul"].inputs == ("data", "variables/dense/kernel")
    assert found["dense/MatMul"].shapes == ((None, 4),)
    assert ("line", "/home/ann/train.py:5") in found["dense/MatMul"].facts
    # Both functions have an Identity, and the outer one reads what the inner one gives.
    assert found["Identity"].inputs == ("Identity.1",)
    assert found["Identity.1"].inputs == ("dense/MatMul",)
    assert not [name for name in found if "call" in name]


def test_two_steps_have_a_scope_each_and_the_last_trace_counts() -> None:
    other = Table("test", (Function("test", (Op("only", "Const"),)),))
    found = nodes(
        recorded("step", "old"),
        recorded("step", "a"),
        recorded("test", "b"),
        tables={"old": other, "a": TABLE, "b": other},
    )
    assert {name.split("/")[0] for name in found} == {"step", "test"}
    assert "test/only" in found
    assert "step/only" not in found


def test_a_function_that_calls_itself_ends() -> None:
    loop = Function("loop", (Op("again", "PartitionedCall", attributes={"f": "loop"}),))
    assert nodes(recorded("loop", "a"), tables={"a": Table("loop", (loop,))})


def test_branches_are_drawn_below_their_op() -> None:
    then, other = Function("then", (Op("a", "Const"),)), Function("else", (Op("b", "Const"),))
    outer = Function("f", (Op("cond", "If", attributes={"then_branch": "then", "else_branch": "else"}),))
    found = nodes(recorded("f", "t"), tables={"t": Table("f", (outer, then, other))})
    assert set(found) == {"cond", "cond_/then/a", "cond_/else/b"}


def test_only_a_sequential_model_has_edges_between_its_layers() -> None:
    layers = [
        LayerSeen(name="dense", type="Dense", shape=[None, 4], parameters=16),
        LayerSeen(name="out", type="Dense"),
    ]
    found = nodes(
        ModelSeen(model="small", type="Sequential", call=1, layers=layers),
        ModelSeen(model="wide", type="Functional", call=2, layers=layers),
    )
    assert found["model_small/out"].inputs == ("model_small/dense",)
    assert found["model_wide/out"].inputs == ()
    assert ("parameters", "16") in found["model_small/dense"].facts


def test_odd_names_are_made_plain() -> None:
    layers = [LayerSeen(name="<b>/&:^", type="Dense")]
    found = nodes(ModelSeen(model="m:0 <script>", type="Model", call=1, layers=layers))
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_./-") for name in found)


@pytest.mark.parametrize("name", ["shapes/generator_of_another_size", "framework/killed_in_fit"])
def test_of_a_real_step_names_are_unique_and_edges_lead_somewhere(name: str, tmp_path: Path) -> None:
    found = nodes_of(Case(load(unpack(path_of(name).read_bytes(), tmp_path).run)))
    assert len(found) > 100
    names = Counter(node.name for node in found)
    assert max(names.values()) == 1
    assert {one.lstrip("^").partition(":")[0] for node in found for one in node.inputs} <= set(names)
    edges = sum(len(node.inputs) for node in found)
    assert edges > len(found) / 2
