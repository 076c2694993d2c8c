"""What was tried on the live values, as advice where a finding has none."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.engine import Diagnosis, diagnose
from whydied.records import ErrorFacts, FormsTried, Frame, TakenForm
from whydied.source.text import Source

SOURCE = "rows = load()\ndata.shuffle(rows)\n"


def form(now: str, cost: float = 1.0) -> TakenForm:
    return TakenForm(start=[2, 13], end=[2, 17], was="rows", now=now, gives="Dataset", cost=cost)


def told(*taken: TakenForm, line: int = 2, link: int = 0) -> Diagnosis:
    frame = Frame(file=FILE, line=line, function="<module>", user=True)
    tried = FormsTried(link=link, frame=frame, expression="data.shuffle(rows)", tried=9, taken=list(taken))
    error = raised("TypeError", "buffer_size must be a scalar", number=2)
    case = case_of(exit_code=1, process=[error, tried])
    for known in (case.recording.sources, case.recording.project):
        known[FILE] = Source(SOURCE)
    return diagnose(case.recording, case=case)


def test_the_only_form_is_advice_and_a_patch() -> None:
    found = told(form("len(rows)"), form("rows[0]", cost=1.4))
    assert found.cause is not None
    assert found.cause.advice == ["Write `len(rows)` instead of `rows`."]
    assert [fix.patch is not None and "+data.shuffle(len(rows))" in fix.patch for fix in found.fixes] == [True]


def test_several_that_change_as_little_are_named_and_none_is_a_patch() -> None:
    found = told(form("len(rows)"), form("rows.size"))
    assert found.cause is not None
    assert found.cause.advice == ["Write `len(rows)` instead of `rows`; or write `rows.size` instead of `rows`."]
    assert found.fixes == []


def test_forms_of_another_line_or_another_exception_are_not_told() -> None:
    for other in (told(form("len(rows)"), line=1), told(form("len(rows)"), link=1)):
        assert other.cause is not None
        assert other.cause.advice == []


TRAINING = 'model.compile("adam", "categorical_crossentropy")\nmodel.fit(x, y)\n'


def traced(*taken: TakenForm) -> Diagnosis:
    frame = Frame(file=FILE, line=2, function="<module>", user=True)
    compiled = Frame(file=FILE, line=1, function="<module>", user=True)
    tried = FormsTried(link=0, frame=frame, expression="model.fit(x, y)", tried=2, taken=list(taken))
    facts = ErrorFacts(link=0, compiled=compiled)
    error = raised("ValueError", "`target` and `output` must have the same rank", number=2)
    case = case_of(exit_code=1, process=[facts, error, tried])
    for known in (case.recording.sources, case.recording.project):
        known[FILE] = Source(TRAINING)
    return diagnose(case.recording, case=case)


def test_a_loss_with_which_the_step_is_traced_is_told_at_its_line() -> None:
    loss = "sparse_categorical_crossentropy"
    found = traced(TakenForm(start=[], end=[], was="", now=loss, gives="a step", part="loss"))
    assert found.cause is not None
    assert found.cause.location is not None
    assert found.cause.location.line == 1
    assert found.cause.message.startswith("train.py:1: ValueError")
    assert found.cause.advice == [f"Use the loss `{loss}` instead of `categorical_crossentropy`."]
    assert [f'+model.compile("adam", "{loss}")' in (fix.patch or "") for fix in found.fixes] == [True]


def test_targets_with_which_the_step_is_traced_are_told_at_the_call() -> None:
    found = traced(TakenForm(start=[2, 13], end=[2, 14], was="y", now="y[..., None]", gives="a step", part="y"))
    assert found.cause is not None
    assert found.cause.advice == ["Write `y[..., None]` instead of `y`."]
    assert ["+model.fit(x, y[..., None])" in (fix.patch or "") for fix in found.fixes] == [True]
