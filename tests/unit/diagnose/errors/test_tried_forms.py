"""What was tried on the live values, as advice where a finding has none."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.case import Case
from whydied.diagnose.engine import fixes_of
from whydied.diagnose.errors.calls.tried_forms import supplemented, tried_of
from whydied.diagnose.finding import Finding
from whydied.records import (
    ErrorFacts,
    ExceptionRaised,
    FormsTried,
    Frame,
    InputWanted,
    Operand,
    Party,
    RaisedException,
    TakenForm,
)
from whydied.source.edits.edit import Change, Edit
from whydied.source.text import Source

SOURCE = "rows = load()\ndata.shuffle(rows)\n"


def form(now: str, cost: float = 1.0) -> TakenForm:
    return TakenForm(start=[2, 13], end=[2, 17], was="rows", now=now, gives="Dataset", cost=cost)


def case_with(source: str, tried: FormsTried, *facts: ErrorFacts) -> Case:
    case = case_of(exit_code=1, process=[*facts, raised("TypeError", "it does not go", number=2), tried])
    for known in (case.recording.sources, case.recording.project):
        known[FILE] = Source(source)
    return case


def told(*taken: TakenForm, line: int = 2, link: int = 0, advice: tuple[str, ...] = ()) -> tuple[Case, Finding]:
    """A finding at line 2, supplemented."""
    frame = Frame(file=FILE, line=2, function="<module>", user=True)
    tried = FormsTried(link=link, frame=frame, expression="data.shuffle(rows)", tried=9, taken=list(taken))
    case = case_with(SOURCE, tried)
    at = case.locate(Frame(file=FILE, line=line, function="<module>", user=True))
    message = f"train.py:{line}: it does not go"
    finding = Finding(id="F1", message=message, certainty="certain", location=at, advice=list(advice))
    return case, supplemented(case, finding)


def patches(case: Case, finding: Finding) -> list[str]:
    return [fix.patch or "" for fix in fixes_of(case, [finding])]


def test_the_only_form_is_advice_and_a_patch() -> None:
    case, found = told(form("len(rows)"), form("rows[0]", cost=1.4))
    assert found.advice == ["Write `len(rows)` instead of `rows`."]
    assert ["+data.shuffle(len(rows))" in patch for patch in patches(case, found)] == [True]


def test_the_same_use_in_the_statement_is_changed_too() -> None:
    frame = Frame(file=FILE, line=1, function="<module>", user=True)
    taken = TakenForm(start=[1, 6], end=[1, 9], was="log", now="log.history", gives="list")
    tried = FormsTried(link=0, frame=frame, expression="log['a']", tried=2, taken=[taken])
    case = case_with("print(log['a'], log['b'], log)\n", tried)
    finding = Finding(id="F1", message="x", certainty="certain", location=case.locate(frame))
    assert "+print(log.history['a'], log.history['b'], log)" in patches(case, supplemented(case, finding))[0]


def test_several_that_change_as_little_are_named_and_each_is_a_patch() -> None:
    case, found = told(form("len(rows)"), form("rows.size"))
    assert found.advice == ["Write `len(rows)` instead of `rows`; or write `rows.size` instead of `rows`."]
    assert ["len(rows)" in patch for patch in patches(case, found)] == [True, False]


def test_a_transposed_operand_is_not_meant_where_every_value_would_meet_every_other() -> None:
    frame = Frame(file=FILE, line=1, function="<module>", user=True)
    taken = TakenForm(start=[1, 6], end=[1, 7], was="a", now="tf.transpose(a)", gives="EagerTensor")

    def left(expression: str, other: list[int | None]) -> int:
        tried = FormsTried(link=0, frame=frame, expression=expression, tried=2, taken=[taken])
        case = case_with("print(a + b)\n", tried)
        operands = [Operand(text="a", type="EagerTensor", shape=[32, 1]), Operand(text="b", type="T", shape=other)]
        raised_by = case.uncaught
        assert raised_by is not None
        link = msgspec.structs.replace(raised_by.chain[0], operands=operands)
        raised_by.chain[0] = link
        found = tried_of(case, link)
        assert found is not None
        return len(found.taken)

    assert left("a + b", [64, 1]) == 0
    assert left("a + b", [1, 32]) == 1
    assert left("a @ b", [64, 1]) == 1


def test_one_form_takes_the_place_of_what_was_not_tried_and_several_do_not() -> None:
    assert told(form("len(rows)"), advice=("Do this.",))[1].advice == ["Write `len(rows)` instead of `rows`."]
    assert told(form("len(rows)"), form("rows.size"), advice=("Do this.",))[1].advice == ["Do this."]


def test_a_change_that_was_seen_to_fail_is_not_told() -> None:
    frame = Frame(file=FILE, line=2, function="<module>", user=True)
    tried = FormsTried(
        link=0, frame=frame, expression="a * b + c", tried=2, taken=[form("len(rows)")], refused=["int(rows)"]
    )
    case = case_with(SOURCE, tried)
    own = Change(title="It", kind="cast", edits=[Edit(FILE, (2, 13), (2, 17), "int(rows)")])
    finding = Finding(message="x", certainty="certain", location=case.locate(frame), advice=["It."], changes=[own])
    found = supplemented(case, finding)
    assert found.advice == ["Write `len(rows)` instead of `rows`."]
    assert found.certainty == "likely"
    assert found.message == "train.py:2: `rows` is not what `a * b + c` takes; it takes `len(rows)`"
    untried = msgspec.structs.replace(finding, changes=[Change(title="It", kind="cast", edits=[own.edits[0], other()])])
    assert supplemented(case, untried).advice == ["It."]


def other() -> Edit:
    return Edit(FILE, (1, 0), (1, 4), "lines")


def test_forms_of_another_line_or_another_exception_are_not_told() -> None:
    assert told(form("len(rows)"), line=1)[1].advice == []
    assert told(form("len(rows)"), link=1)[1].advice == []


TRAINING = 'model.compile("adam", "categorical_crossentropy")\nmodel.fit(x, y)\n'


def traced(taken: TakenForm) -> tuple[Case, Finding]:
    """A finding at the call that has untried advice."""
    frame = Frame(file=FILE, line=2, function="<module>", user=True)
    compiled = Frame(file=FILE, line=1, function="<module>", user=True)
    tried = FormsTried(link=0, frame=frame, expression="model.fit(x, y)", tried=2, taken=[taken])
    case = case_with(TRAINING, tried, ErrorFacts(link=0, compiled=compiled))
    message, at = "train.py:2: it does not go", case.locate(frame)
    return case, supplemented(
        case, Finding(id="F1", message=message, certainty="likely", location=at, advice=["Flatten."])
    )


def test_a_loss_with_which_the_step_is_traced_is_told_at_its_line() -> None:
    loss = "sparse_categorical_crossentropy"
    case, found = traced(TakenForm(start=[], end=[], was="", now=loss, gives="a step", part="loss"))
    assert found.location is not None
    assert found.location.line == 1
    assert found.message == "train.py:1: it does not go"
    assert found.advice == [f"Use the loss `{loss}` instead of `categorical_crossentropy`."]
    assert [f'+model.compile("adam", "{loss}")' in patch for patch in patches(case, found)] == [True]


def test_targets_with_which_the_step_is_traced_are_told_at_the_call() -> None:
    taken = TakenForm(start=[2, 13], end=[2, 14], was="y", now="y[..., None]", gives="a step", part="y")
    case, found = traced(taken)
    assert found.advice == ["Write `y[..., None]` instead of `y`."]
    assert ["+model.fit(x, y[..., None])" in patch for patch in patches(case, found)] == [True]


def test_an_op_that_refuses_what_a_value_holds_is_not_answered_by_a_part_of_it() -> None:
    frame = Frame(file=FILE, line=2, function="<module>", user=True)
    taken = [form("rows[0]"), form("len(rows)", cost=1.2)]
    tried = FormsTried(link=0, frame=frame, expression="data.shuffle(rows)", tried=9, taken=taken)
    link = RaisedException(
        type="InvalidArgumentError", module="tensorflow.python.framework.errors_impl", message="no", frames=[frame]
    )
    case = case_of(exit_code=1, process=[ExceptionRaised(where="main", chain=[link]), tried])
    found = tried_of(case, link)
    assert found is not None
    assert [one.now for one in found.taken] == ["len(rows)"]


@pytest.mark.parametrize(("wanted", "left"), [([None, 20, 24], 0), ([None, 100, 24], 1), ([None, None, 24], 1)])
def test_all_rows_as_one_sample_only_with_the_sizes_that_the_model_declares(
    wanted: list[int | None], left: int
) -> None:
    frame = Frame(file=FILE, line=1, function="<module>", user=True)
    taken = TakenForm(start=[1, 14], end=[1, 15], was="x", now="x[None]", gives="traced", part="x")
    tried = FormsTried(link=0, frame=frame, expression="model.predict(x)", tried=2, taken=[taken])
    facts = ErrorFacts(
        call="predict", wanted=InputWanted(shape=wanted), parties=[Party(role="x", text="x", shape=[100, 24])]
    )
    case = case_with("model.predict(x)\n", tried, facts)
    assert case.uncaught is not None
    found = tried_of(case, case.uncaught.chain[0])
    assert found is not None
    assert len(found.taken) == left


def test_one_of_the_keys_that_were_asked_for_does_not_stand_for_them() -> None:
    frame = Frame(file=FILE, line=2, function="<module>", user=True)
    tried = FormsTried(link=0, frame=frame, expression="table[rows]", tried=9, taken=[form("rows[0]")])
    for kind, expected in (("KeyError", []), ("TypeError", ["rows[0]"])):
        error = raised(kind, "'b'", number=2)
        case = case_of(exit_code=1, process=[error, tried])
        found = tried_of(case, error.chain[0])
        assert found is not None
        assert [one.now for one in found.taken] == expected
