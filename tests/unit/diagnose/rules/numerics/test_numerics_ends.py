"""What a bad step has to do with how the program ended."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.bad_steps import FIT_LINE, RAISE_LINE, SOURCE, again, bad_step, captured, rows, user_frame
from tests.unit.diagnose.case_of import raised
from whydied.diagnose.case import Case
from whydied.diagnose.engine import Diagnosis, diagnose
from whydied.records import ErrorFacts, ExitRequested, Operand, Record, StepBegan


def told(case: Case) -> Diagnosis:
    found = diagnose(case.recording, case=case)
    assert found.errors == []
    return found


def ended_by(*records: Record, source: str = SOURCE) -> Diagnosis:
    return told(bad_step(replay=again(rows(3)), exit_code=1, after=records, source=source))


def test_a_program_that_finished_has_a_cause_and_no_death() -> None:
    found = told(bad_step(replay=again(rows(3))))
    assert (found.outcome, found.death) == ("finished", None)
    assert found.cause is not None
    assert found.cause.name == "nonfinite-from-op"


@pytest.mark.parametrize(
    ("kind", "message", "line"),
    [
        ("InvalidArgumentError", "dense/Relu : Tensor had NaN values [Op:CheckNumerics]", 10),
        ("ValueError", "cannot convert float NaN to integer", 11),
        ("FloatingPointError", "", 10),
        ("ValueError", "training went wrong", RAISE_LINE),
    ],
)
def test_an_exception_about_such_values_is_because_of_the_step(kind: str, message: str, line: int) -> None:
    found = ended_by(raised(kind, message, number=line))
    assert found.outcome == "failed"
    assert found.cause is not None
    assert found.death is not None
    assert (found.cause.name, found.death.name) == ("nonfinite-from-op", "uncaught-exception")
    assert found.death.because_of == found.cause.id


def test_an_exception_over_such_a_value_is_because_of_the_step() -> None:
    seen = Operand(text="best", type="float", value="nan")
    found = ended_by(raised("RuntimeError", "training did not work", number=11, operands=[seen]))
    assert found.cause is not None
    assert found.cause.name == "nonfinite-from-op"


def test_another_exception_is_not() -> None:
    found = ended_by(raised("KeyError", "'loss'", number=11))
    assert found.cause is not None
    assert [finding.name for finding in found.findings] == ["uncaught-exception", "nonfinite-from-op"]
    assert found.cause.name == "uncaught-exception"


@pytest.mark.parametrize(("condition", "name"), [("np.isnan(loss)", "nonfinite-from-op"), ("done", "exited-early")])
def test_an_exit_under_a_condition_about_such_values_is(condition: str, name: str) -> None:
    asked = ExitRequested(how="sys.exit", frames=[user_frame(13)], status="1")
    source = "\n" * 11 + f"if {condition}:\n    sys.exit(1)\n"
    found = ended_by(asked, source=source)
    assert found.cause is not None
    assert found.cause.name == name


def test_a_raised_exit_under_such_a_condition_is() -> None:
    found = ended_by(source="\n" * 11 + 'if np.isnan(w).any():\n    raise SystemExit("model is broken")\n')
    assert found.cause is not None
    assert found.death is not None
    assert (found.cause.name, found.death.name) == ("nonfinite-from-op", "exited-early")


def test_stop_on_nan_is_a_stop_with_its_cause() -> None:
    case = bad_step(
        step=captured(stopped=True),
        replay=again(rows(3)),
        exit_code=1,
        after=[raised("InvalidArgumentError", "whydied stopped the program", number=10)],
    )
    found = told(case)
    assert found.outcome == "stopped"
    assert found.death is not None
    assert found.cause is not None
    assert (found.cause.name, found.death.name) == ("nonfinite-from-op", "stopped-on-nan")
    assert "(--stop-on-nan): the loss turned NaN at step 47 of fit" in found.death.message


def test_a_stop_that_the_program_caught_is_no_stop() -> None:
    found = told(bad_step(step=captured(stopped=True), replay=again(rows(3))))
    assert (found.outcome, found.death) == ("finished", None)


def op_failed(*frames: str) -> Diagnosis:
    """A run whose last step was not finite, and in which an op refused an index."""
    lines = "\n".join(f'  File "{frame}", line 3, in f' for frame in frames)
    message = f"Detected at node adagrad/GatherV2 defined at:\n{lines}\nindices[0] = 5776 is not in [0, 961)"
    facts = ErrorFacts(type="InvalidArgumentError", op="GatherV2", node="adagrad/GatherV2")
    return ended_by(facts, raised("InvalidArgumentError", message, number=FIT_LINE))


def test_what_an_optimizer_makes_of_such_gradients_is_no_reason() -> None:
    found = op_failed("/venv/lib/keras/src/optimizers/adagrad.py")
    assert [finding.name for finding in found.findings] == ["nonfinite-from-op", "uncaught-exception"]


def test_an_op_of_the_model_itself_is_not_blamed_on_them() -> None:
    found = op_failed("/home/nan/model.py")
    assert found.cause is not None
    assert found.cause.name == "index-out-of-range"


def test_an_op_of_a_later_step_is() -> None:
    later = StepBegan(unit="train", count=60)
    facts = ErrorFacts(type="InvalidArgumentError", op="GatherV2", node="model/GatherV2")
    said = "indices[0] = 5776 is not in [0, 961)"
    found = ended_by(later, facts, raised("InvalidArgumentError", said, number=FIT_LINE))
    assert found.cause is not None
    assert found.cause.name == "nonfinite-from-op"
