"""NaN that does not train: a value that the program reads, and what `predict` gives."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.bad_steps import SOURCE, again, bad_step, captured, norms, numbers, op, rows, user_frame
from tests.unit.diagnose.case_of import raised
from whydied.diagnose.case import Case
from whydied.diagnose.engine import diagnose
from whydied.diagnose.finding import Finding
from whydied.records import Record, StepCaptured, Suspect

READ_LINE = 11


def read(kind: str = "eager", name: str = "total", step: int | None = None, call: int | None = None) -> StepCaptured:
    suspect = Suspect(role="result", name=name, numbers=numbers(1))
    return captured(suspect, kind=kind, step=step, call=call, frames=[user_frame(READ_LINE)])


def cause_of(case: Case) -> Finding | None:
    found = diagnose(case.recording, case=case)
    assert found.errors == []
    return found.cause


def source(last: str) -> str:
    return "\n".join([*SOURCE.splitlines()[:10], last, ""])


def test_a_value_that_the_program_reads_is_told_with_the_op_that_made_it() -> None:
    found = cause_of(bad_step(step=read(), replay=again(rows(3)), source=source("print(float(total))")))
    assert found is not None
    assert (found.name, found.certainty) == ("nonfinite-from-op", "certain")
    assert found.message.startswith("train.py:6: `total`, read on line 11, is NaN: log(0) in layer badlog")


def test_without_a_name_the_line_is_told() -> None:
    found = cause_of(bad_step(step=read(name=""), replay=again(rows(3)), source=source("print(float(f(x)))")))
    assert found is not None
    assert "a value read on line 11 is NaN" in found.message


def test_what_predict_gives_is_told_with_its_batch() -> None:
    step = read("traced", "", step=2, call=1)
    found = cause_of(bad_step(step=step, replay=again(rows(3)), source=source("print(mean)")))
    assert found is not None
    assert "the output of fit is NaN at batch 2" in found.message


@pytest.mark.parametrize(
    "last",
    [
        "if np.isnan(float(total)): skip()",
        "print(np.nanmean(predicted))",
        "np.testing.assert_allclose(total, other, equal_nan=True)",
    ],
)
def test_a_program_that_expects_nan_is_healthy(last: str) -> None:
    assert cause_of(bad_step(step=read(), replay=again(rows(3), op()), source=source(last))) is None


@pytest.mark.parametrize(("kind", "told"), [("StridedSlice", False), ("Mean", True)])
def test_an_element_of_the_programs_own_data_may_be_nan(kind: str, told: bool) -> None:
    replay = again(rows(3, kind="data", values=["nan"]), op(kind))
    found = cause_of(bad_step(step=read(), replay=replay, source=source("print(float(total))")))
    assert (found is not None) is told


@pytest.mark.parametrize(
    ("last", "told"),
    [
        ("if np.isnan(loss): skip()", False),
        ("if np.isnan(loss): print('nan')", True),
        ("if np.isnan(x).any(): skip()", True),
    ],
)
def test_a_step_that_trains_is_expected_to_be_nan_by_who_acts_on_it(last: str, told: bool) -> None:
    found = cause_of(bad_step(replay=again(rows(3)), source=source(last)))
    assert (found is not None) is told


def test_acting_on_it_explains_no_other_end() -> None:
    found = cause_of(bad_step(replay=again(rows(3)), source=source("if np.isnan(loss): skip()"), exit_code=1))
    assert found is not None


CTRL_C = raised("KeyboardInterrupt")
OTHER = raised("ValueError", "every trial ended in NaN")
WELL = norms(2.0, 1.0, moment="end", losses=[0.3, 0.2])
BADLY = norms(2.0, float("nan"), moment="end")
BESIDE = norms(2.0, 1.0, moment="end", function="generator")


@pytest.mark.parametrize(
    ("after", "told"),
    [
        ([CTRL_C, WELL], False),
        ([CTRL_C, BADLY, WELL], False),
        ([CTRL_C, BADLY], True),
        ([CTRL_C, BADLY, BESIDE], True),
        ([CTRL_C], True),
        ([OTHER, WELL], True),
    ],
    ids=["another trial", "the dropped one is kept", "the same", "another function", "not known", "it gives up"],
)
def test_a_trial_that_was_dropped_is_not_why_a_later_one_was_stopped(after: list[Record], told: bool) -> None:
    last = source("if np.isnan(loss): skip()")
    found = cause_of(bad_step(replay=again(rows(3)), source=last, after=after, exit_code=130))
    assert (found is not None and found.code.startswith("NUM")) is told
