"""The table of rules, and what each rule says of its relation to the others: nothing can be forgotten in silence."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from types import ModuleType

import pytest

from whydied.diagnose import rules
from whydied.diagnose.case import Case
from whydied.diagnose.registry import RULES, TABLE, all_rules, ordered
from whydied.diagnose.rule import ATTRIBUTES, CAUSES, DEATHS, Role, Rule, rule_of


def of_module(**names: object) -> Rule:
    module = ModuleType("whydied.diagnose.rules.data.made_up", "A summary.")
    module.__dict__.update({"check": lambda case: None, **names})
    return rule_of(module, "DAT999")


def rule(code: str, *yields_to: str) -> Rule:
    return Rule(code, code.lower(), "", lambda case: None, "cause", yields_to)


def group(role: Role) -> str:
    return "death" if role in DEATHS else "cause" if role in CAUSES else role


def test_every_module_of_a_rule_is_in_the_table_once() -> None:
    found = {
        name
        for _, name, is_package in pkgutil.walk_packages(rules.__path__, f"{rules.__name__}.")
        if not is_package and hasattr(importlib.import_module(name), "check")
    }
    assert sorted(found) == sorted(module.__name__ for module in TABLE.values())
    assert list(TABLE) == sorted(TABLE)
    assert [one.code for one in all_rules()] == sorted(TABLE)


@pytest.mark.parametrize("names", [{}, {"ROLE": "reason"}])
def test_a_rule_without_a_known_role_is_refused(names: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError), match="role"):
        of_module(**names)


def test_a_module_says_all_of_its_rule() -> None:
    def explains_end(case: Case) -> bool:
        return False

    made = of_module(ROLE="cause", YIELDS_TO=("hung",), OF_ALL_PROCESSES=True, explains_end=explains_end)
    assert (made.code, made.name, made.role, made.yields_to) == ("DAT999", "made-up", "cause", ("hung",))
    assert (made.asked_when_caught, made.of_all_processes, made.explains_end) == (False, True, explains_end)
    assert of_module(ROLE="explanation").asked_when_caught
    assert of_module(ROLE="cause", ASKED_WHEN_CAUGHT=True).asked_when_caught


@pytest.mark.parametrize("module", TABLE.values(), ids=lambda module: module.__name__.rpartition(".")[2])
def test_no_name_is_misspelt(module: ModuleType) -> None:
    own = {
        name for name, value in vars(module).items() if getattr(value, "__module__", module.__name__) == module.__name__
    }
    near = {
        name: difflib.get_close_matches(name, ATTRIBUTES, cutoff=0.8)
        for name in own - set(ATTRIBUTES)
        if name[0] != "_"
    }
    near = {name: found for name, found in near.items() if found}
    assert near == {}


def test_rules_yield_to_rules_that_answer_to_the_same() -> None:
    groups = {one.name: group(one.role) for one in RULES}
    for one in RULES:
        assert {groups.get(name, f"{name} is not a rule") for name in one.yields_to} <= {group(one.role)}, one.name


def test_each_rule_stands_behind_those_that_it_yields_to() -> None:
    place = {one.name: at for at, one in enumerate(RULES)}
    assert all(place[name] < place[one.name] for one in RULES for name in one.yields_to)


def test_the_order_comes_from_relations_then_families_then_codes() -> None:
    found = ordered(
        [rule("SHP001"), rule("NUM002", "shp001"), rule("DAT002"), rule("NUM001"), rule("DAT001", "num001")]
    )
    assert [one.code for one in found] == ["DAT002", "NUM001", "DAT001", "SHP001", "NUM002"]
    assert ordered(reversed(found)) == found


def test_rules_that_yield_to_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="num001, num002"):
        ordered([rule("NUM001", "num002"), rule("NUM002", "num001"), rule("DAT001")])
