"""Which holder is named, of several; and what all rules about kept objects say in the same words."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.growing import census, group, growing, ramp
from whydied.diagnose.held import kept
from whydied.diagnose.registry import find_rule

ROWS = group("array", 60, 450, "rows")


@pytest.mark.parametrize(("before", "named"), [(100, "kept"), (390, "rows")])
def test_the_one_that_grows_counts_before_the_one_that_was_there(before: int, named: str) -> None:
    earlier = census(600, ROWS, group("array", 20, before, "kept"))
    later = census(900, ROWS, group("array", 80, 400, "kept"))
    found = kept(growing([(5.0, earlier), (9.0, later)], ramp(1000)), ("array",))
    assert found is not None
    assert found.holder.path == named


def test_with_one_census_the_largest_counts() -> None:
    found = kept(growing([(9.0, census(900, ROWS, group("array", 80, 400, "kept")))], ramp(1000)), ("array",))
    assert found is not None
    assert found.holder.path == "rows"


@pytest.mark.parametrize(
    "name", ["tensors-kept-in-container", "arrays-kept-in-container", "memory-growth", "models-kept"]
)
def test_shared_texts_are_put_in(name: str) -> None:
    rule = find_rule(name)
    assert rule is not None
    assert "The census that the recorder took" in rule.documentation
    assert "Certain where the holder makes up at least 60 %" in rule.documentation
    assert "what is kept]" not in rule.documentation
