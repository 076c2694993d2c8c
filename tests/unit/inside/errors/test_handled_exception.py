"""What was kept about an exception that the program handles while it ends itself."""

from __future__ import annotations

import pytest

from whydied.inside.errors import handled_exception
from whydied.inside.errors.framework import error_facts
from whydied.records import ErrorFacts


def test_the_facts_about_a_caught_exception_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    cause = ValueError("expected axis -1 to have value 4")
    kept = error_facts._Kept(id(cause), "ValueError", str(cause), ErrorFacts(type="ValueError", op="MatMul", link=0))
    monkeypatch.setattr(error_facts, "_kept", [kept])
    try:
        raise RuntimeError("training failed") from cause
    except RuntimeError:
        found = handled_exception.facts()
    assert [(one.op, one.link) for one in found if one.link == 1] == [("MatMul", 1)]
    assert handled_exception.facts() == []
