"""A loop that is traced as a whole: told by a trace that does not end."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.growing import Timed, frame, growing, ramp
from whydied.diagnose.case import Case
from whydied.diagnose.rules.memory import loop_traced
from whydied.records import Frame, FunctionTraced, LineSampled, StepBegan

SOURCE = """\
def step(x):
    return net(x)

@tf.function
def train(batches):
    for x in batches:
        step(x)

train(rows)
"""
OPS = "/lib/tensorflow/python/framework/ops.py"


def _case(source: str = SOURCE, innermost: str = OPS, ends: bool = False, began_s: float = 1.5) -> Case:
    looks: list[Timed] = [
        (
            began_s + 0.1 * (n + 1),
            LineSampled(frames=[frame(9)], innermost=Frame(file=innermost, line=1, function="_create_c_op")),
        )
        for n in range(60)
    ]
    records: list[Timed] = [(began_s, StepBegan(unit="function", count=1, name="train")), *looks]
    if ends:
        records.append(
            (5.0, FunctionTraced(name="train", traces=1, file="/t.py", line=4, signature=[], frames=[frame(9)]))
        )
    return growing(sorted(records, key=lambda one: one[0]), ramp(1000), source=source)


def test_the_decorator_is_moved_to_what_a_turn_calls() -> None:
    found = loop_traced.check(_case())
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (4, "likely")
    assert "its loop (line 6 of train.py) runs in Python meanwhile" in found.message
    assert [one.text for one in (found.changes or [])[0].edits] == ["@tf.function\n", ""]


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(_case(ends=True), id="the trace ended"),
        pytest.param(_case(innermost="/lib/numpy/core.py"), id="nothing is added to a graph"),
        pytest.param(_case(SOURCE.replace("@tf.function\n", "\n")), id="it is not a tf.function"),
        pytest.param(_case(SOURCE.replace("for x in batches:", "if True:")), id="it has no loop"),
        pytest.param(_case(began_s=8.9), id="memory had grown before"),
    ],
)
def test_near_misses(case: Case) -> None:
    assert loop_traced.check(case) is None
