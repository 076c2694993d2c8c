"""A loop in a graph that keeps something of each iteration: its line, its bytes, and what is no such thing."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE
from tests.unit.diagnose.memory_runs import MIB, got, killed, seen
from tests.unit.graph.drawing import Drawing, table
from whydied.diagnose.case import Case
from whydied.diagnose.rules.memory import loop_keeps_tensors
from whydied.diagnose.rules.memory.at_once import whole_dataset_in_one_call
from whydied.graph.op_table import Line, Table
from whydied.records import GraphRecorded

SOURCE = (
    "def walk(state, rounds):\n    for n in tf.range(rounds):\n        path = path.write(n, state)\nwalk(x, rounds)\n"
)
ROWS = 1 << 16
ROUND_BYTES = ROWS * 4 * 4


def _table(written: str = "TensorListSetItem", rounds: int | None = None, made: str = "Sin") -> Table:
    """for n in range(rounds): path = path.write(n, sin(state)), where the rounds may be an argument."""
    cond = Drawing("cond")
    i, most = cond.argument((), "int32"), cond.argument((), "int32")
    cond.argument((None, 4))
    cond.argument((), "variant")
    less = cond.op("Less", i, most, shape=(), dtype="bool")
    body = Drawing("body")
    j, limit, state = body.argument((), "int32"), body.argument((), "int32"), body.argument((None, 4))
    held = body.argument((), "variant")
    after = body.op("AddV2", j, body.integers(1, scalar=True), shape=(), dtype="int32")
    new = body.op(made, state, shape=(None, 4)) if made else state
    given = (held, new) if written == "TensorListPushBack" else (held, j, new)
    kept = body.op(written, *given, shape=(), dtype="variant")
    outer = Drawing("walk")
    data = outer.argument((None, 4))
    number = outer.argument((), "int32") if rounds is None else outer.integers(rounds, scalar=True)
    empty = outer.op("EmptyTensorList", outer.integers(4), outer.integers(0, scalar=True), shape=(), dtype="variant")
    start = outer.integers(0, scalar=True)
    shapes, dtypes = ((), (), (None, 4), ()), ("int32", "int32", "float32", "variant")
    attributes = {"cond": "cond", "body": "body"}
    whole = outer.op("While", start, number, data, empty, shapes=shapes, dtypes=dtypes, line=0, attributes=attributes)
    stack = outer.op("TensorListStack", (whole, 3), outer.integers(4), shape=(None, None, 4))
    functions = (outer.function(stack), cond.function(less), body.function(after, limit, new, kept))
    return table(*functions, lines=(Line(FILE, 2, "walk"),))


def _case(graph: Table, before: int = 300) -> Case:
    recorded = GraphRecorded(function="walk", file="1-0.bin", operations=20)
    records = (seen(4, before), recorded, got(4, [ROWS, 4], unit="function"), seen(4, 900))
    return killed(SOURCE, *records, graphs={"1-0.bin": graph})


def test_a_tensor_array_is_told_with_the_line_that_writes_to_it() -> None:
    case = _case(_table())
    found = loop_keeps_tensors.check(case)
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name, found.culprit.shape) == (3, "path", [ROWS, 4])
    assert found.culprit.bytes == 724 * MIB
    assert f"about {724 * MIB // ROUND_BYTES:,} iterations" in found.message
    assert whole_dataset_in_one_call.check(case) is None


def test_what_the_gradient_needs_has_no_line_of_its_own() -> None:
    found = loop_keeps_tensors.check(_case(_table("TensorListPushBack")))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 2
    assert "what its gradient needs" in found.message


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(_case(_table(rounds=300)), id="the rounds are known and explain it"),
        pytest.param(_case(_table(), before=950), id="it took little"),
        pytest.param(_case(_table(made="")), id="always the same tensor"),
    ],
)
def test_near_misses(case: Case) -> None:
    assert loop_keeps_tensors.check(case) is None
