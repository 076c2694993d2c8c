"""Each static rule finds its fault, is silent on the near misses, and is documented."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

from tests.unit.lint.cases import CASES
from tests.unit.lint.linted import findings, fixed, lines
from whydied.diagnose.registry import all_rules, find_rule
from whydied.lint import rules
from whydied.lint.rules_table import STATIC_RULES, find_static_rule
from whydied.lint.static_rule import HEADINGS, REQUIRED_HEADINGS, StaticRule

ELSEWHERE = {
    "LNT001": "test_tensors_appended_in_loop",
    "LNT002": "test_sessions_and_graphs",
    "LNT003": "test_sessions_and_graphs",
    "LNT019": "test_lint_notebooks",
    "LNT020": "test_lint_notebooks",
}
FAULTY = [(code, text, found) for code, cases in CASES.items() for text, found in cases.faulty.items()]
HEALTHY = [(code, text) for code, cases in CASES.items() for text in cases.healthy]


@pytest.mark.parametrize(("code", "text", "found"), FAULTY, ids=lambda value: value if str(value)[:3] == "LNT" else "")
def test_a_fault_is_found(code: str, text: str, found: list[str]) -> None:
    assert lines(code, text) == found


@pytest.mark.parametrize(("code", "text"), HEALTHY, ids=lambda value: value if str(value)[:3] == "LNT" else "")
def test_a_near_miss_is_not(code: str, text: str) -> None:
    assert lines(code, text) == []


def test_every_rule_has_cases() -> None:
    assert sorted({*CASES, *ELSEWHERE}) == sorted(rule.code for rule in STATIC_RULES)
    assert all(cases.faulty and cases.healthy for cases in CASES.values())
    directory = Path(__file__).parent
    assert all((directory / f"{name}.py").is_file() for name in ELSEWHERE.values())


def test_every_module_of_a_rule_is_in_the_table_once() -> None:
    found = {
        name
        for _, name, _ in pkgutil.walk_packages(rules.__path__, f"{rules.__name__}.")
        if hasattr(importlib.import_module(name), "check")
    }
    assert len(found) == len(STATIC_RULES)
    assert [rule.code for rule in STATIC_RULES] == sorted({rule.code for rule in STATIC_RULES})


@pytest.mark.parametrize("rule", STATIC_RULES, ids=lambda rule: rule.code)
def test_every_rule_is_documented(rule: StaticRule) -> None:
    headings = re.findall(r"^## (.+)$", rule.documentation, re.MULTILINE)
    assert [one for one in HEADINGS if one in headings] == headings
    assert set(REQUIRED_HEADINGS) <= set(headings)
    assert rule.summary.endswith(".")
    assert rule.same_fault
    assert all(find_rule(name) is not None for name in rule.same_fault), rule.same_fault


def test_no_name_means_two_rules() -> None:
    assert {rule.name for rule in STATIC_RULES}.isdisjoint(rule.name for rule in all_rules())
    assert find_static_rule("lnt001") is find_static_rule("tensors-appended-in-loop") is not None
    assert find_static_rule("LNT999") is None


@pytest.mark.parametrize("code", ["LNT005", "LNT008", "LNT009", "LNT012", "LNT014"])
def test_a_fix_removes_the_finding(code: str) -> None:
    texts = [text for text in CASES[code].faulty if any(one.fix for one in findings(code, text))]
    assert texts
    for text in texts:
        after = fixed(code, text)
        assert after is not None
        assert len(findings(code, after)) < len(findings(code, text))


def test_the_message_names_things_as_the_source_does() -> None:
    found = findings("LNT014", next(iter(CASES["LNT014"].faulty)))
    assert [(one.name, one.message) for one in found] == [
        ("loss-on-other-scale", "`model` ends in softmax, but its loss has `from_logits=True`")
    ]
