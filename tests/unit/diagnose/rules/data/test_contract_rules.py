"""Broken contracts and empty inputs: a finding only where the run went wrong because of it."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.rules.data import contract_broken, empty_input
from whydied.records import (
    CallBegan,
    CallEnded,
    ContractBroken,
    DataSeen,
    ExceptionRaised,
    Frame,
    LossesSeen,
    Numbers,
    Record,
    StepCaptured,
    Suspect,
    Term,
)
from whydied.source.text import Source

FRAME = Frame(file=FILE, line=5, function="<module>", user=True)
CLASSES = Term(kind="classes", words="classes from 0 to 2", by="loss", source="scce", low=0, high=3, below=True)
FINITE = Term(kind="finite", words="finite values", by="input")
RANGE = Term(kind="range", words="values from 0 to 1", by="loss", low=0, high=1)
CALL = CallBegan(call=1, kind="fit", frames=[FRAME])
ENDED = CallEnded(call=1, raised="InvalidArgumentError")
CAPTURED = StepCaptured(
    directory="numerics/1-0", kind="traced", call=1, suspects=[Suspect(role="loss", name="loss")], frames=[FRAME]
)
LABELS = ContractBroken(
    name="y", term=CLASSES, rows=[5, 9], count=2, rows_seen=50, values=["7", "8"], call=1, frames=[FRAME]
)
NOTHING = {"type": "numpy.ndarray", "shape": [0, 3]}


def failed(message: str, kind: str = "InvalidArgumentError", number: int = 5) -> ExceptionRaised:
    return raised(kind, message, number=number)


def of(term: Term, **fields: object) -> ContractBroken:
    return msgspec.structs.replace(LABELS, term=term, **fields)


def test_labels_that_the_exception_quotes_are_certain() -> None:
    case = case_of(process=[CALL, LABELS, ENDED, failed("Received a label value of 7 which is outside")], exit_code=1)
    finding = contract_broken.check(case)
    assert finding is not None
    assert finding.certainty == "certain"
    assert "2 of 50 rows (5, 9) have 7, 8; expected classes from 0 to 2 (scce)" in finding.message
    assert finding.culprit is not None
    assert finding.culprit.rows is not None
    assert (finding.culprit.rows.dataset, finding.culprit.rows.count) == ([5, 9], 2)


def test_labels_that_it_does_not_quote_are_likely() -> None:
    case = case_of(process=[CALL, LABELS, ENDED, failed("something else")], exit_code=1)
    finding = contract_broken.check(case)
    assert finding is not None
    assert finding.certainty == "likely"


@pytest.mark.parametrize(
    "records",
    [
        [CALL, LABELS, CallEnded(call=1)],
        [CALL, LABELS, CallEnded(call=1), failed("label 7")],
        [CALL, LABELS, ENDED, failed("a shape", "ValueError")],
        [CALL, LABELS, ENDED, failed("7", number=1)],
        [CALL, of(FINITE, values=["nan"]), CallEnded(call=1)],
        [CALL, of(RANGE), CallEnded(call=1), failed("7", "KeyError", number=2)],
        [CALL, of(FINITE, values=["nan"]), ENDED, failed("no such file", "OSError")],
    ],
    ids=["harmless", "call ended well", "another error", "another line", "meant NaN", "later error", "other reason"],
)
def test_what_did_not_go_wrong_for_it_is_silent(records: list[Record]) -> None:
    died = any(isinstance(record, ExceptionRaised) for record in records)
    assert contract_broken.check(case_of(process=records, exit_code=1 if died else 0)) is None


def test_a_range_of_the_loss_counts_where_a_step_was_not_finite() -> None:
    case = case_of(process=[CALL, of(RANGE), CAPTURED, CallEnded(call=1)], exit_code=0)
    finding = contract_broken.check(case)
    assert finding is not None
    assert finding.certainty == "likely"


def test_values_that_are_not_finite_are_left_to_the_rules_on_numerics() -> None:
    broken = of(FINITE, values=["nan"])
    assert contract_broken.check(case_of(process=[CALL, broken, CAPTURED], exit_code=0)) is None
    case = case_of(process=[CALL, broken, failed("loss is nan", "RuntimeError")], exit_code=1)
    assert contract_broken.check(case) is not None


def test_a_declared_contract_counts_only_where_nobody_caught_it() -> None:
    broken = of(msgspec.structs.replace(RANGE, by="declared"), name="images", raised=True, call=None)
    error = failed("train.py:5: images: row 5; expected values from 0 to 1", "ContractError")
    finding = contract_broken.check(case_of(process=[broken, error], exit_code=1))
    assert finding is not None
    assert finding.certainty == "certain"
    assert contract_broken.check(case_of(process=[broken], exit_code=0)) is None
    assert contract_broken.check(case_of(process=[broken, failed("other", "KeyError")], exit_code=1)) is None


def test_a_declared_contract_inside_of_a_graph() -> None:
    text = (
        "assertion failed: [whydied.expect: train.py:6: rows: expected values of at least 0] [rows that break it:] [2] "
        "[the first is row] [4] [with] [-5]\n\t [[{{node Assert}}]]"
    )
    finding = contract_broken.check(case_of(process=[failed(text)], exit_code=1))
    assert finding is not None
    assert finding.culprit is not None
    assert (finding.culprit.name, finding.culprit.value) == ("rows", "-5")
    assert finding.location is not None
    assert finding.location.line == 6


def empty_call(**fields: object) -> CallBegan:
    return msgspec.structs.replace(CALL, **fields)


def seen(**fields: object) -> DataSeen:
    facts = {"name": "x", "role": "input", "sort": "pipeline", "shape": [None, 3], "dtype": "float32", "rows_seen": 20}
    return DataSeen(**{**facts, "call": 1, "rows": 20, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "records",
    [
        [empty_call(arguments={"x": NOTHING})],
        [empty_call(arguments={"x": {"type": "dict", "parts": {"a": NOTHING}}})],
        [CALL, seen(rows=0, rows_seen=0)],
        [CALL, seen(batches=0)],
    ],
)
def test_training_on_nothing_is_a_fault_of_its_own(records: list[Record]) -> None:
    finding = empty_input.check(case_of(process=[*records, CallEnded(call=1)], exit_code=0))
    assert finding is not None
    assert finding.certainty == "certain"


def test_a_generator_without_elements() -> None:
    error = failed("… the generator must yield at least one batch. Received an empty generator.", "ValueError")
    assert empty_input.check(case_of(process=[CALL, ENDED, error], exit_code=1)) is not None


@pytest.mark.parametrize(
    "records",
    [
        [CALL, seen(), CallEnded(call=1)],
        [CALL, seen(batches=3), CallEnded(call=1)],
        [empty_call(kind="predict", arguments={"x": NOTHING}), CallEnded(call=1)],
        [empty_call(kind="train_on_batch", arguments={"x": NOTHING}), CallEnded(call=1)],
    ],
)
def test_data_or_a_call_without_harm_are_silent(records: list[Record]) -> None:
    assert empty_input.check(case_of(process=records, exit_code=0)) is None


def test_an_empty_fit_is_not_blamed_for_a_later_error() -> None:
    records = [empty_call(arguments={"x": NOTHING}), CallEnded(call=1), failed("boom", "KeyError")]
    assert empty_input.check(case_of(process=records, exit_code=1)) is None


@pytest.mark.parametrize(
    ("losses", "greatest", "found", "divided"),
    [([0.7, -3.0], 255.0, True, True), ([0.7, -3.0], 254.0, True, False), ([0.7, 0.2], 255.0, False, False)],
)
def test_a_loss_below_zero_shows_that_targets_are_out_of_range(
    losses: list[float], greatest: float, found: bool, divided: bool
) -> None:
    broken = of(RANGE, role="target", values=["255"])
    numbers = Numbers(shape=[0, 4], dtype="float32", count=40, least=0.0, greatest=greatest)
    given = seen(name="y", role="target", numbers=numbers, call=1)
    case = case_of(process=[CALL, given, broken, LossesSeen(function="fit", number=0, losses=losses)], exit_code=0)
    case.recording.sources[FILE] = Source("\n\n\n\nmodel.fit(x, y)\n")
    finding = contract_broken.check(case)
    assert (finding is not None) == found
    if finding is not None:
        assert finding.certainty == "certain"
        assert [change.title for change in finding.changes] == (["Pass `y / 255`"] if divided else [])
