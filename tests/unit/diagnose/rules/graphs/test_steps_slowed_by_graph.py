"""GRF022: runs of a session that get slower with every op that is added between them."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE
from tests.unit.diagnose.growing import Timed, growing, ramp
from whydied.diagnose.engine import diagnose
from whydied.diagnose.rules.graphs.steps_slowed_by_graph import check
from whydied.records import GraphAddition, SessionRan

SOURCE = "rate = tf.Variable(0.1)\nfor step in range(500):\n    session.run(tf.assign(rate, 0.1))\n"
LINE = 3


def _runs(*, added: int = 5, slower: float = 0.1, until: int = 60) -> list[Timed]:
    """60 recorded runs: each takes longer than the one before, and ops are added before it, up to some run."""
    found: list[Timed] = []
    at, operations = 1.5, 50
    for number in range(60):
        at += 0.02 * (1 + slower * number)
        adds = added if number < until else 0
        operations += adds
        addition = GraphAddition(file=FILE, line=LINE, function="<module>", operations=adds, constant_bytes=0)
        ran = SessionRan(count=number + 1, operations=operations, graph=1, added=[addition] if adds else [])
        found.append((at, ran))
    return found


def test_a_graph_that_grows_and_slows_the_runs_is_told_without_growth_of_memory() -> None:
    case = growing(_runs(), ramp(0), source=SOURCE, killed=False)
    found = check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (LINE, "certain")
    assert "it grew from 55 to 350 ops over 59 runs of the session" in found.message
    assert "a run takes 125 ms at the end instead of 35 ms" in found.message
    told = diagnose(case.recording)
    assert told.cause is not None
    assert (told.outcome, told.cause.name) == ("finished", "steps-slowed-by-graph")


@pytest.mark.parametrize("runs", [_runs(slower=0.0), _runs(added=0), _runs(until=30), _runs(added=1), _runs()[:15]])
def test_a_steady_graph_and_steady_runs_are_healthy(runs: list[Timed]) -> None:
    assert check(growing(runs, ramp(0), source=SOURCE, killed=False)) is None


def test_memory_that_grew_with_the_graph_is_the_more_telling_cause() -> None:
    assert check(growing(_runs(), lambda at_s: ramp(1000)(min(at_s, 6.0)), source=SOURCE)) is None


def test_ops_that_a_function_adds_are_told_at_its_call_in_the_loop() -> None:
    source = (
        "def rate():\n    step = tf.cast(now, 'float32')\n    return 0.1 / step\n\n"
        "for step in range(500):\n    session.run(rate(), {now: step})\n"
    )
    runs = []
    for at, ran in _runs():
        added = [
            GraphAddition(file=FILE, line=3, function="rate", operations=one.operations, constant_bytes=0)
            for one in (ran.added if isinstance(ran, SessionRan) else [])
        ]
        assert isinstance(ran, SessionRan)
        runs.append((at, SessionRan(count=ran.count, operations=ran.operations, graph=1, added=added)))
    found = check(growing(runs, ramp(0), source=source, killed=False))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 6
    assert "at every step with `rate` (line 3 of train.py)" in found.message
