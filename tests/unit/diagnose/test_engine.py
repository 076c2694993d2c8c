"""How the engine arranges answers, with rules made up for it: their names mean nothing, their relations all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from tests.unit.diagnose.case_of import case_of, raised, recording_of
from whydied.diagnose import answers, registry
from whydied.diagnose.case import Case
from whydied.diagnose.engine import Diagnosis, diagnose
from whydied.diagnose.finding import Certainty, Finding
from whydied.diagnose.rule import Role, Rule
from whydied.records import ExceptionRaised, ExitRequested, Frame
from whydied.source.edits.edit import Change, Edit

FRAME = Frame(file="/home/ann/train.py", line=5, function="<module>", user=True)
HANDLED = raised("ValueError", "the words").chain
ASKED = ExitRequested(how="sys.exit", frames=[FRAME], status="1", handling=HANDLED)


def made(
    code: str,
    role: Role,
    *,
    answers_to: Callable[[Case], bool] = lambda case: True,
    certainty: Certainty = "certain",
    **relations: object,
) -> Rule:
    def check(case: Case) -> Finding | None:
        return Finding(message=code, certainty=certainty) if answers_to(case) else None

    relations.setdefault("asked_when_caught", role == "explanation")
    return Rule(code, code.lower(), "", check, role, **relations)  # type: ignore[arg-type]


def arranged(monkeypatch: pytest.MonkeyPatch, *rules: Rule, case: Case | None = None) -> Diagnosis:
    monkeypatch.setattr(answers, "RULES", registry.ordered(rules))
    case = case or case_of(exit_code=1, process=[raised("ValueError", "the words")])
    found = diagnose(case.recording, case=case)
    assert found.errors == []
    return found


def codes(found: Diagnosis) -> list[str]:
    return [finding.code for finding in found.findings]


def test_causes_stand_before_the_death_the_deepest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    found = arranged(
        monkeypatch,
        made("PRC001", "death"),
        made("PRC002", "death", yields_to=("prc001",)),
        made("SHP001", "cause"),
        made("DAT001", "cause"),
        made("DAT002", "cause", yields_to=("shp001",)),
        made("MEM001", "memory"),
    )
    assert codes(found) == ["DAT001", "SHP001", "DAT002", "PRC001"]
    assert [(one.id, one.because_of) for one in found.findings] == [
        ("F1", None),
        ("F2", "F1"),
        ("F3", "F2"),
        ("F4", "F3"),
    ]
    assert found.cause is found.findings[0]
    assert found.death is found.findings[3]


def test_one_explanation_is_reported_and_every_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    found = arranged(
        monkeypatch,
        made("PRC001", "death"),
        made("DAT001", "explanation", yields_to=("shp001",)),
        made("SHP001", "explanation"),
        made("SHP002", "cause", asked_when_caught=True),
        made("NUM001", "cause"),
    )
    assert codes(found) == ["NUM001", "SHP001", "SHP002", "PRC001"]


def test_of_a_caught_exception_those_are_asked_that_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def as_if_uncaught(case: Case) -> Case:
        return case.with_exception(ExceptionRaised(where="handled", chain=HANDLED))

    def fails(case: Case) -> bool:
        return case.uncaught is not None

    rules = [
        made("DAT001", "explanation", answers_to=fails),
        made("DAT002", "explanation", answers_to=fails),
        made("NUM001", "cause", answers_to=fails, asked_when_caught=True),
        made("NUM002", "cause", answers_to=fails),
    ]
    case = case_of(exit_code=1, process=[ASKED])
    death = made("PRC001", "death", as_if_uncaught=as_if_uncaught)
    assert codes(arranged(monkeypatch, death, *rules, case=case)) == ["DAT001", "NUM001", "PRC001"]
    assert codes(arranged(monkeypatch, made("PRC001", "death"), *rules, case=case)) == ["PRC001"]


def test_what_answers_to_a_caught_exception_and_to_the_end_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    death = made("PRC001", "death", as_if_uncaught=lambda case: case.with_exception(raised("ValueError")))
    found = arranged(monkeypatch, death, made("DAT001", "explanation"), case=case_of(exit_code=1, process=[ASKED]))
    assert codes(found) == ["DAT001", "PRC001"]


def test_the_root_of_a_death_lies_right_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def check_root(case: Case) -> Finding:
        return Finding(message="root", certainty="certain")

    found = arranged(monkeypatch, made("PRC001", "death", check_root=check_root), made("PRC002", "cause"))
    assert [(one.code, one.message) for one in found.findings] == [
        ("PRC002", "PRC002"),
        ("PRC001", "root"),
        ("PRC001", "PRC001"),
    ]


def test_memory_is_asked_for_after_a_death_for_lack_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = [made("MEM001", "memory"), made("MEM002", "memory"), made("DAT001", "cause")]
    assert codes(arranged(monkeypatch, made("PRC001", "memory death"), *rules)) == ["MEM001", "DAT001", "PRC001"]
    assert codes(arranged(monkeypatch, made("PRC001", "death"), *rules)) == ["DAT001", "PRC001"]


@pytest.mark.parametrize(
    ("certainty", "told"), [("certain", ["MEM002", "PRC001"]), ("likely", ["MEM001", "MEM002", "PRC001"])]
)
def test_what_all_processes_took_says_more_than_what_one_held(
    certainty: Certainty, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    together = made("MEM002", "cause", certainty=certainty, of_all_processes=True)
    found = arranged(monkeypatch, made("PRC001", "memory death"), made("MEM001", "memory"), together)
    assert codes(found) == told


def test_what_did_not_lead_to_the_end_stands_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    beside = made("DAT001", "cause", explains_end=lambda case: False)
    found = arranged(monkeypatch, made("PRC001", "death"), beside)
    assert [(one.id, one.code, one.because_of) for one in found.findings] == [
        ("F1", "PRC001", None),
        ("F2", "DAT001", None),
    ]
    assert found.cause == found.death
    healthy = case_of(exit_code=0)
    found = arranged(monkeypatch, made("PRC001", "death"), beside, case=healthy)
    assert (codes(found), found.cause is None, found.death) == (["DAT001"], False, None)


ENDS = {
    "a signal": {"signal": 9},
    "a refusal": {"exit_code": 1, "process": [raised("MemoryError")]},
    "an exception": {"exit_code": 1, "process": [raised("ValueError", "x")]},
    "a caught exception": {"exit_code": 1, "process": [ASKED]},
    "a child": {"exit_code": 1, "process": [raised("BrokenProcessPool", "x")], "others": {77: [raised("KeyError")]}},
    "none": {"exit_code": 0},
}


@pytest.mark.parametrize("end", ENDS)
def test_no_rule_is_asked_twice_about_a_case(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[tuple[str, int]] = Counter()
    cases: list[Case] = []

    def counting(rule: Rule) -> Rule:
        def check(case: Case) -> Finding | None:
            cases.append(case)
            asked[rule.code, id(case)] += 1
            return rule.check(case)

        return rule._replace(check=check)

    monkeypatch.setattr(answers, "RULES", tuple(map(counting, registry.RULES)))
    diagnose(recording_of(**ENDS[end]))  # type: ignore[arg-type]
    assert asked
    assert {key: count for key, count in asked.items() if count > 1} == {}


def test_a_death_that_is_explained_suggests_no_change_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    edit = Edit("/home/ann/train.py", (3, 0), (3, 7), "kept")
    finding = Finding(message="it", certainty="certain", changes=[Change(title="Do it", kind="x", edits=[edit])])
    death = made("PRC001", "death")._replace(check=lambda case: finding)
    assert [fix.title for fix in arranged(monkeypatch, death).fixes] == ["Do it"]
    assert arranged(monkeypatch, death, made("SHP001", "explanation")).fixes == []
