from __future__ import annotations

from typing import Any

from whydied.diagnose.finding import Fix
from whydied.prove.patching.choice import is_offered, ranked


def test_proved_fixes_come_first_the_least_harmful_before_the_others() -> None:
    given: list[tuple[str, dict[str, Any]]] = [
        ("in vain", {"verdict": "refuted", "harm": "exact"}),
        ("first guess", {"harm": "changed result"}),
        ("second guess", {"harm": "exact"}),
        ("harmful", {"verdict": "proved", "harm": "changed result"}),
        ("rounded", {"verdict": "proved", "harm": "same result"}),
        ("exact", {"verdict": "proved", "harm": "exact"}),
        ("words", {"verdict": "proved", "patch": None}),
    ]
    fixes = [Fix(title=title, kind="a", answers="F1", **{"patch": "x", **fields}) for title, fields in given]
    found = ranked(fixes)
    assert [fix.title for fix in found] == ["exact", "rounded", "harmful", "first guess", "second guess", "in vain"]
    assert [fix.title for fix in found if not is_offered(fix)] == ["in vain"]
