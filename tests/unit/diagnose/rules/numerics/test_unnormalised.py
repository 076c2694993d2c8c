"""A logarithm of a plain output: the activation is missing, and the line is the one that made the output."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.bad_steps import again, bad_step, op
from tests.unit.diagnose.case_of import FILE
from whydied.diagnose.engine import diagnose
from whydied.diagnose.finding import Finding
from whydied.diagnose.numerics.unnormalised import _origin
from whydied.graph.op_table import Function, Layer, Line, Op, Table
from whydied.read.steps import Graphs
from whydied.records import Blame, GraphRecorded, OpInput


def cause(kind: str, value: str, *, layer: int = -1, passing: bool = False) -> Finding:
    made = [Op(name="raw", type=kind, line=0, layer=layer)]
    if passing:
        made.append(Op(name="same", type="Reshape", inputs=((0, 0),)))
    table = Table(
        name="step",
        functions=(Function(name="step", ops=tuple(made)),),
        lines=(Line(file=FILE, line=5, function="<module>"),),
        layers=(Layer(name="bins", type="Dense", file=FILE, line=6),),
    )
    given = OpInput(origin="op", name="same" if passing else "raw", at_bad=[value])
    case = bad_step(
        GraphRecorded(function="step", file="1.bin", operations=2),
        replay=again(Blame(kind="weights", name="bins/kernel"), op("Log", value, line=8, inputs=[given])),
    )
    case.recording.graphs = Graphs(tables={"1.bin": table})
    found = diagnose(case.recording, case=case)
    assert found.errors == []
    assert found.cause is not None
    assert found.cause.location is not None
    return found.cause


@pytest.mark.parametrize(("layer", "line"), [(-1, 5), (0, 6)])
@pytest.mark.parametrize("passing", [False, True])
def test_the_line_is_that_of_the_output(layer: int, line: int, passing: bool) -> None:
    found = cause("BiasAdd", "-0.04", layer=layer, passing=passing)
    assert found.location is not None
    assert (found.name, found.location.line) == ("nonfinite-from-op", line)
    assert "no activation" in found.message
    assert "softmax" in found.advice[0]


@pytest.mark.parametrize(("kind", "value"), [("BiasAdd", "0"), ("Softmax", "-0.04"), ("Mul", "-1")])
def test_zero_and_what_is_not_linear_is_no_missing_activation(kind: str, value: str) -> None:
    found = cause(kind, value)
    assert found.location is not None
    assert (found.name, found.location.line) == ("nonfinite-from-op", 8)


def test_an_activation_that_can_be_negative_is_named() -> None:
    found = cause("Tanh", "-0.04")
    assert found.location is not None
    assert (found.name, found.location.line) == ("nonfinite-from-op", 5)
    assert "ends in tanh" in found.message


def test_an_epsilon_that_is_added_is_looked_through() -> None:
    ops = (Op(name="raw", type="Tanh", line=0), Op(name="eps", type="Const"), Op(name="sum", type="AddV2"))
    sum_ = Op(name="sum", type="AddV2", inputs=((1, 0), (0, 0)))
    assert _origin((*ops[:2], sum_), sum_).name == "raw"
    both = Op(name="sum", type="AddV2", inputs=((0, 0), (0, 0)))
    assert _origin((ops[0], both), both).name == "sum"
