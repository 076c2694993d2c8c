"""The checker of the corpus tells right from wrong: without this, a green corpus would mean nothing."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from corpus import Case, ExpectationError, load
from diagnosis import interval
from trial import Trial
from verdict import cause_problems, judge
from whydied.diagnose.finding import Culprit, Finding, Location
from whydied.report.summary import Outcome, Report, RunFacts, as_json

PROGRAM = "values = {}\nprint(valeus)  # <- cause\n"
FAILING = 'outcome = "failed"\ncause = "uncaught-exception"\nculprit = "valeus"\nnear = "values"\nexit_status = 1\n'
HEALTHY = 'outcome = "finished"\nhealthy = true\nexit_status = 0\n'


def case(directory: Path, expectation: str) -> Case:
    (directory / "program.py").write_text(PROGRAM)
    (directory / "program.expect.toml").write_text(expectation)
    return load(directory)[0]


def finding(
    directory: Path, *, code: str = "PRC008", line: int = 2, name: str = "valeus", size: int | None = None
) -> Finding:
    return Finding(
        id="f1",
        code=code,
        name="uncaught-exception" if code == "PRC008" else "segmentation-fault",
        message="a message",
        certainty="certain",
        location=Location(file=str((directory / "program.py").resolve()), line=line),
        culprit=Culprit(kind="name", name=name, near=["values"], bytes=size),
    )


def trial(
    found: Finding | None, *, outcome: Outcome = "failed", status: int = 1, errors: tuple[str, ...] = ()
) -> Trial:
    report = Report(
        run=RunFacts(id="r", argv=[], exit_code=1 if outcome == "failed" else 0),
        outcome=outcome,
        death=found,
        cause=found,
        findings=[found] if found else [],
        internal_errors=list(errors),
    )
    return Trial(status, as_json(report), b"", b"", 0.1)


def test_right_is_right(tmp_path: Path) -> None:
    verdict = judge(case(tmp_path, FAILING), trial(finding(tmp_path)))
    assert verdict.problems == ()
    assert (verdict.family_right, verdict.line_right, verdict.culprit_right) == (True, True, True)


@pytest.mark.parametrize("wanted", ["PRC", "PRC008", "uncaught-exception"])
def test_a_cause_may_be_asked_for_by_family_code_or_name(wanted: str, tmp_path: Path) -> None:
    assert judge(case(tmp_path, f'cause = ["MEM", "{wanted}"]'), trial(finding(tmp_path))).right
    assert not judge(case(tmp_path, 'cause = ["MEM"]'), trial(finding(tmp_path))).right


def test_a_cause_is_judged_without_its_run(tmp_path: Path) -> None:
    failing = case(tmp_path, FAILING)
    assert cause_problems(failing, finding(tmp_path)) == ()
    assert len(cause_problems(failing, finding(tmp_path, code="PRC004", line=1, name="other"))) == 3
    assert "cause is none" in cause_problems(failing, None)[0]


def test_each_wrong_thing_is_said(tmp_path: Path) -> None:
    failing = case(tmp_path, FAILING)
    wrong = {
        "cause": trial(finding(tmp_path, code="PRC004")),
        "line": trial(finding(tmp_path, line=1)),
        "culprit": trial(finding(tmp_path, name="values")),
        "outcome": trial(finding(tmp_path), outcome="died"),
        "exit status": trial(finding(tmp_path), status=0),
        "whydied's own": trial(finding(tmp_path), errors=("hook: ValueError",)),
        "no cause": trial(None),
    }
    for word, attempt in wrong.items():
        assert any(word in problem for problem in judge(failing, attempt).problems), word


def test_any_finding_in_a_healthy_program_is_a_false_alarm(tmp_path: Path) -> None:
    healthy = case(tmp_path, HEALTHY)
    assert judge(healthy, trial(None, outcome="finished", status=0)).right
    alarmed = judge(healthy, trial(finding(tmp_path), outcome="finished", status=0))
    assert alarmed.false_alarm
    assert not alarmed.right


def test_no_report_is_wrong(tmp_path: Path) -> None:
    failing = case(tmp_path, FAILING)
    for data in (None, b"", b"{}", b"\xff"):
        assert not judge(failing, Trial(1, data, b"", b"", 0.1)).right


def test_an_unusable_expectation_is_named(tmp_path: Path) -> None:
    for text in ("no toml at all", "unknown_key = 1", 'bytes = "much"', 'program = "absent.py"', 'file = "absent.py"'):
        with pytest.raises(ExpectationError, match=r"program\.expect\.toml"):
            case(tmp_path, text)


@pytest.mark.parametrize(
    ("truth", "right"),
    [("bytes = 1_000_000", True), ('bytes = "1 MB"', True), ('bytes = "1 MiB"', True), ('bytes = "1.2 MB"', False)],
)
def test_bytes_are_right_within_a_tenth(truth: str, right: bool, tmp_path: Path) -> None:
    verdict = judge(case(tmp_path, truth), trial(finding(tmp_path, size=1_000_000)))
    assert verdict.bytes_right is right
    assert judge(case(tmp_path, f"{truth}\nbytes_within = 0.5"), trial(finding(tmp_path, size=1_000_000))).right


def test_the_program_itself_may_tell_the_bytes(tmp_path: Path) -> None:
    asked = case(tmp_path, 'bytes = "printed"')
    told = trial(finding(tmp_path, size=1050))
    assert judge(asked, told._replace(stdout=b"held 500\nheld 1000\nheld 99")).right
    assert not judge(asked, told._replace(stdout=b"held 500\n")).right
    assert not judge(asked, told).right


def test_no_bytes_are_not_right(tmp_path: Path) -> None:
    assert judge(case(tmp_path, "bytes = 5"), trial(finding(tmp_path))).bytes_right is False
    assert judge(case(tmp_path, "line = 2"), trial(finding(tmp_path))).bytes_right is None


def test_the_interval_of_a_rate_narrows_with_the_tries() -> None:
    assert interval(20, 20) == pytest.approx((0.839, 1.0), abs=0.001)
    assert interval(19, 20) == pytest.approx((0.764, 0.991), abs=0.001)
    assert interval(0, 3) == pytest.approx((0.0, 0.562), abs=0.001)


def test_a_line_of_a_notebook_counts_in_its_cell(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": "# a"},
        {"cell_type": "code", "source": ["import os\n", "values = {}"]},
        {"cell_type": "code", "source": "\nprint(valeus)  # <- cause"},
    ]
    (tmp_path / "work.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "work.expect.toml").write_text('cause = "uncaught-exception"\nprogram = "work.ipynb"\n')
    (known,) = load(tmp_path)
    assert (known.lines, known.cells) == (frozenset(), {(2, 2)})
    found = finding(tmp_path)
    for cell, line, right in ((2, 2, True), (1, 2, False), (2, 1, False)):
        place = Location(file=f"/home/ann/work.ipynb/cell [{cell}]", line=line)
        verdict = judge(known, trial(msgspec.structs.replace(found, location=place)))
        assert verdict.line_right is right
