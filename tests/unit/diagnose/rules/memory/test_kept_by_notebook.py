"""What the notebook keeps is the cause only where it is the most, and no variable refers to it."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.growing import census, group, growing, ramp
from whydied.diagnose.case import Case
from whydied.diagnose.registry import RULES
from whydied.diagnose.rules.memory import figures_kept
from whydied.diagnose.rules.memory.kept_by_notebook import check
from whydied.read.cells import CellSource
from whydied.records import ObjectGroup


def _case(*groups: ObjectGroup) -> Case:
    case = growing([(9.0, census(900, *groups))], ramp(1000))
    case.recording.sources["kernel-1/cell [5]"] = CellSource("x = load()\nx * 2\n# shown\n", "", 0)
    return case


def test_results_of_cells_are_named_with_the_cell() -> None:
    found = check(_case(group("array", 1, 500, "Out[5]", "output"), group("array", 1, 100, "Out[4]", "output")))
    assert found is not None
    assert found.message == (
        "cell [5], line 2: cell results that the notebook keeps (Out[5], Out[4]) hold 600 MiB (limit 2.00 GiB), "
        "and no variable refers to it"
    )
    assert found.certainty == "certain"
    assert found.location is not None
    assert (found.location.cell, found.location.source) == (5, "x * 2")
    assert "%reset -f out" in found.advice[0]


@pytest.mark.parametrize(
    ("path", "root", "mend"),
    [
        ("the last traceback: frame f, variable x", "traceback", "sys.last_traceback"),
        ("figure 3", "figure", "plt.close"),
    ],
)
def test_each_sort_has_its_own_mend(path: str, root: str, mend: str) -> None:
    case = _case(group("array", 1, 300, path, root))
    found = check(case) or figures_kept.check(case)
    assert found is not None
    assert path in found.message
    assert found.certainty == "likely"
    assert mend in found.advice[0]


def test_figures_that_were_made_after_the_census_count_at_the_end() -> None:
    taken = census(500, group("figure", 40, 400, "40 open figures", "figure"))
    case = growing([(5.5, taken)], ramp(1000), files=lambda _: 100 << 20)
    found = figures_kept.check(case)
    assert found is not None
    assert found.culprit is not None
    # 80 % of what was there are figures, and so of the 490 MiB that came later.
    assert found.culprit.bytes == pytest.approx((400 + 0.8 * 490) * (1 << 20), rel=0.02)
    assert "hold 400 MiB at the last count and about 791 MiB at the end (limit 2.00 GiB)" in found.message


@pytest.mark.parametrize(
    "groups",
    [
        [group("array", 1, 30, "Out[5]", "output")],
        [group("array", 1, 200, "Out[5]", "output")],
        [group("array", 1, 300, "Out[5]", "output"), group("array", 9, 500, "rows")],
        [group("array", 9, 800, "rows")],
        [],
    ],
)
def test_little_or_less_than_a_variable_holds_is_no_cause(groups: list[ObjectGroup]) -> None:
    assert check(_case(*groups)) is None


def test_it_is_asked_before_the_rules_about_containers() -> None:
    names = [rule.name for rule in RULES]
    assert names.index("kept-by-notebook") < names.index("tensors-kept-in-container")
