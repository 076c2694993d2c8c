"""DAT020: shapes to pad to that are not like the elements, with near misses."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.data.padding_mismatch import check
from whydied.records import ErrorFacts, Frame, Party
from whydied.source.text import Source


def _case(argument: str, *shapes: list[int | None]) -> Case:
    frame = Frame(file=FILE, line=1, function="<module>", user=True)
    facts = ErrorFacts(place=frame, parties=[Party(role="component", shape=shape) for shape in shapes])
    made = case_of(process=[raised("TypeError", "If shallow structure is a sequence"), facts], exit_code=1)
    made.sources[FILE] = Source(f"batches = data.padded_batch(4, padded_shapes={argument})\n")
    return made


def test_one_shape_for_elements_of_several_parts() -> None:
    case = _case("[None]", [], [None], [])
    found = check(case)
    assert found is not None
    assert "`padded_shapes` is `[None]`: one shape for all parts; the elements have 3 parts" in found.message
    assert patches_of(case, found)[0][1] == "+batches = data.padded_batch(4, padded_shapes=([], [None], []))"


def test_a_part_with_another_number_of_axes() -> None:
    found = check(_case("([None], [None])", [None], []))
    assert found is not None
    assert "part 1 has 0 axes and its shape 1" in found.message


@pytest.mark.parametrize("argument", ["([None], [])", "shapes", "{'x': [None]}"])
def test_shapes_that_fit_or_are_made_elsewhere(argument: str) -> None:
    assert check(_case(argument, [None], [])) is None
