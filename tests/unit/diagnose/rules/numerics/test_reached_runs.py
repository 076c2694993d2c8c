"""Steps of sessions whose bad run was not known at first, and steps whose replay was finite."""

from __future__ import annotations

from typing import Any

from tests.unit.diagnose.bad_steps import FIT_LINE, again, bad_step, captured, numbers, op, rows
from whydied.diagnose.case import Case
from whydied.diagnose.engine import diagnose
from whydied.diagnose.finding import Finding
from whydied.records import OpInput, RanOn, Replay, StepCaptured, Suspect


def cause(case: Case) -> Finding:
    found = diagnose(case.recording, case=case).cause
    assert found is not None
    return found


def run(**fields: Any) -> StepCaptured:
    bad = Suspect(role="weight", name="W1", numbers=numbers(12, shape=(32,)))
    missing = ["The variables are those of 52 runs before the step."]
    return captured(bad, kind="session", step=74, call=None, function="Adam", missing=missing, **fields)


def test_the_run_that_the_replay_reached_is_told_with_its_number() -> None:
    found = cause(bad_step(step=run(), replay=again(rows(3), ran_on=RanOn(at=61, step=61, runs=39, exact=True))))
    assert (found.name, found.certainty) == ("nonfinite-from-op", "certain")
    assert "at step 61" in found.message
    facts = {piece.fact: piece.value for piece in found.evidence}
    assert facts["replayed"] == "from the variables of 39 runs before, with what the runs were fed"
    assert facts["noticed"] == "it was noticed 13 runs later"
    assert "not available" not in facts


def test_runs_whose_data_is_not_all_there_are_an_inference() -> None:
    found = cause(bad_step(step=run(), replay=again(rows(3), ran_on=RanOn(at=61, runs=39))))
    assert found.certainty == "likely"
    assert "at step 74" in found.message


def near(least: float) -> Replay:
    argument = OpInput(origin="op", name="Softmax", numbers=numbers(shape=(32, 4), least=least, greatest=1.0))
    return Replay(directory="", status="finite", near=op("Log", inputs=[argument], output=None))


def test_a_finite_replay_tells_the_op_next_to_the_edge_of_its_domain() -> None:
    found = cause(bad_step(step=run(), replay=near(3e-12)))
    assert (found.name, found.certainty) == ("nonfinite-from-op", "likely")
    assert found.location is not None
    assert found.location.line == 6
    assert "log of values down to 3e-12: at 0 it is infinite, and nothing keeps it away from there" in found.message


def test_without_such_an_op_nothing_is_named() -> None:
    found = cause(bad_step(step=run(), replay=Replay(directory="", status="finite")))
    assert (found.certainty, found.location and found.location.line) == ("possible", FIT_LINE)
