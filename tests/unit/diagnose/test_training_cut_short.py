"""DAT008: fewer steps than asked for, because the data ended."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.case_of import FILE, case_of
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.data.training_cut_short import check
from whydied.records import CallBegan, CallEnded, Frame, Record, StepBegan, WarningIssued
from whydied.source.text import Source
from whydied.wire import Entry

SOURCE = "train = data()\nmodel.fit(\n    train,\n    steps_per_epoch=100,\n)\n"
RAN_OUT = WarningIssued(
    category="UserWarning", message="Your input ran out of data; interrupting training. Make sure", file="k.py", line=1
)


def steps_of(case: Case) -> list[StepBegan]:
    assert case.principal is not None
    return case.principal.all(StepBegan)


def fitted(
    steps: int,
    warning: Record | None = RAN_OUT,
    raised: str | None = None,
    began: list[StepBegan] | None = None,
    **arguments: object,
) -> Case:
    """A fit whose last step began and got no batch."""
    frames = [Frame(file=FILE, line=2, function="<module>", user=True)]
    given = {"epochs": 1, "steps_per_epoch": 100, "x": {"type": "generator"}, **arguments}
    began = began or [StepBegan(unit="train", count=number, call=1) for number in range(1, steps + 2)]
    records = [CallBegan(call=1, kind="fit", frames=frames, arguments=given), *began]
    case = case_of(process=[*records, *([warning] if warning else []), CallEnded(call=1, raised=raised)], exit_code=0)
    case.recording.sources[FILE] = Source(SOURCE)
    return case


def test_data_that_end_in_the_first_epoch() -> None:
    found = check(fitted(20))
    assert found is not None
    assert found.message == "train.py:2: `fit` was asked for 100 steps, but its data ended after 20 steps"
    assert found.culprit is not None
    assert (found.certainty, found.culprit.value) == ("certain", "100")
    assert "`steps_per_epoch=20`" in found.advice[0]
    assert "`while True:`" in found.advice[0]


def test_data_that_are_used_up_in_a_later_epoch_have_to_begin_anew() -> None:
    found = check(fitted(240, epochs=5, x={"type": "tensorflow.python.data.ops.batch_op._BatchDataset"}))
    assert found is not None
    assert "5 epochs of 100 steps, but its data ended after 240 steps" in found.message
    assert found.advice == ["The data are used up in epoch 3: add `.repeat()` to the data."]


@pytest.mark.parametrize(
    "case",
    [
        fitted(20, warning=None),  # a callback stopped it
        fitted(100),
        fitted(20, raised="ValueError"),
        fitted(20, steps_per_epoch=None),
    ],
)
def test_what_is_no_end_of_the_data(case: Case) -> None:
    assert check(case) is None


DATA_SET = {"type": "tensorflow.python.data.ops.batch_op._BatchDataset"}
FEWER = ["-    steps_per_epoch=100,", "+    steps_per_epoch=20,"]
AGAIN = ["-    train,", "+    train.repeat(),"]


@pytest.mark.parametrize(
    ("case", "patches"),
    [
        (fitted(20), [FEWER]),
        (fitted(20, x=DATA_SET), [FEWER, AGAIN]),
        (fitted(20, x=DATA_SET, epochs=3), [[AGAIN[0], FEWER[0], AGAIN[1], FEWER[1]]]),
        (fitted(240, x=DATA_SET, epochs=5), [AGAIN]),
        (fitted(240, x={"type": "__main__.Rows"}, epochs=5), []),
    ],
)
def test_what_is_changed(case: Case, patches: list[list[str]]) -> None:
    assert patches_of(case, check(case)) == patches


GENERATOR = "def rows():\n    for at in range(20):\n        yield at\nmodel.fit(rows(), steps_per_epoch=100)\n"


def test_a_generator_that_ends_is_told_at_its_loop_with_the_steps_of_its_first_pass() -> None:
    frames = [Frame(file=FILE, line=4, function="<module>", user=True)]
    given = {"epochs": 3, "steps_per_epoch": 100, "x": {"type": "generator"}}
    ran = [(0, number) for number in range(100)] + [(1, 0), (2, 0), (2, 1)]
    steps = [StepBegan(unit="train", count=n, call=1, epoch=one[0], step=one[1]) for n, one in enumerate(ran, 1)]
    records = [CallBegan(call=1, kind="fit", frames=frames, arguments=given), *steps, RAN_OUT, CallEnded(call=1)]
    case = case_of(process=records, exit_code=0)
    case.recording.sources[FILE] = Source(GENERATOR)
    found = check(case)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 2
    assert "3 epochs of 100 steps, but its data ended after 100 steps" in found.message


def test_a_warning_of_a_later_call_is_not_about_fit() -> None:
    case = fitted(99, warning=None)
    entries = case.records.entries
    entries.append(Entry(entries[-1].at_ns + 10**9, len(entries), RAN_OUT))
    assert check(case) is None


def test_where_keras_knows_the_number_of_batches_the_last_step_had_one() -> None:
    """It begins no step without a batch then, and goes on from the start in the next epoch."""
    text = "ROWS, SIZE = 3200, 32\nmodel.fit(\n    train,\n    steps_per_epoch=ROWS,\n)\ntrain = data.batch(SIZE)\n"
    case = fitted(199, x={**DATA_SET, "batches": 100}, steps_per_epoch=3200, epochs=2)
    first = [msgspec.structs.replace(one, epoch=0 if one.count <= 100 else 1) for one in steps_of(case)]
    case = fitted(199, x={**DATA_SET, "batches": 100}, steps_per_epoch=3200, epochs=2, began=first)
    case.recording.sources[FILE] = Source(text)
    found = check(case)
    assert found is not None
    assert found.message.endswith(
        "2 epochs of 3,200 steps, but its data have 100 batches, after which each epoch ended"
    )
    assert "6,400 and 200" in [one.value for one in found.evidence]
    assert "+    steps_per_epoch=ROWS // SIZE," in patches_of(case, found)[0]
