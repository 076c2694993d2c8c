"""What was tried on the live values, as advice where a finding has none."""

from __future__ import annotations

import msgspec

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.engine import Diagnosis, diagnose
from whydied.records import FormsTried, Frame, TakenForm
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


def test_an_op_that_refuses_a_value_is_not_answered_by_a_part_of_it() -> None:
    frame = Frame(file=FILE, line=2, function="<module>", user=True)
    tried = FormsTried(link=0, frame=frame, expression="count(rows)", tried=9, taken=[form("rows[0]")])
    error = raised("InvalidArgumentError", "must be non-negative", number=2)
    link = msgspec.structs.replace(error.chain[0], module="tensorflow.python.framework.errors_impl")
    error = msgspec.structs.replace(error, chain=[link])
    case = case_of(exit_code=1, process=[error, tried])
    case.recording.sources[FILE] = Source(SOURCE)
    found = diagnose(case.recording, case=case)
    assert found.cause is not None
    assert found.cause.advice == []


def test_an_op_that_takes_its_arguments_in_another_order() -> None:
    frame = Frame(file=FILE, line=2, function="<module>", user=True)
    other = TakenForm(start=[2, 0], end=[2, 18], was="data.shuffle(rows)", now="data.shuffle(0)", gives="1", cost=1.0)
    tried = FormsTried(link=0, frame=frame, expression="data.shuffle(rows)", tried=9, taken=[form("rows[0]"), other])
    error = raised("InvalidArgumentError", "refused", number=2)
    link = msgspec.structs.replace(error.chain[0], module="tensorflow.python.framework.errors_impl")
    case = case_of(exit_code=1, process=[msgspec.structs.replace(error, chain=[link]), tried])
    case.recording.sources[FILE] = Source(SOURCE)
    found = diagnose(case.recording, case=case)
    assert found.cause is not None
    assert found.cause.advice == ["Write `data.shuffle(0)` instead of `data.shuffle(rows)`."]
