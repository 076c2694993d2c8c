"""A change of a value at its use, made where the value comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import lines_of
from whydied.diagnose.finding import Candidate, Finding, Location
from whydied.prove.ideas import idea_of
from whydied.prove.maker_ideas import at_makers
from whydied.source.edits.edit import Change, Edit

PROGRAM = """
    def table(count):
        rows = [[1, 2]] * count
        return rows, count
    def use(values):
        return values.shape
    first, _ = table(3)
    print(use(first))
"""


def moved(tmp_path: Path, text: str, line: int, was: str, now: str) -> list[tuple[int | None, list[str]]]:
    case = died_of(tmp_path, text)
    file = next(iter(case.project))
    column = case.project[file].lines[line - 1].index(was)
    edit = Edit(file, (line, column), (line, column + len(was)), now)
    place = Location(file=file, line=line)
    finding = Finding(message=f"{place.spelled}: it is a list", certainty="likely", location=place)
    change = Change(title="Make an array of it", kind="form", edits=[edit])
    one = idea_of(case, Candidate(finding=finding, change=change), guessed=False)
    assert one is not None
    found = list(at_makers(case, one))
    assert all(idea.candidate.finding.message.endswith(": it is a list") for idea in found)
    places = [idea.candidate.finding.location for idea in found]
    return [(at.line if at else None, lines_of(case, idea.change)) for at, idea in zip(places, found, strict=True)]


def test_a_value_is_followed_to_the_statement_that_made_it(tmp_path: Path) -> None:
    assert moved(tmp_path, PROGRAM, 5, "values", "np.array(values)") == [
        (2, ["-    rows = [[1, 2]] * count", "+    rows = np.array([[1, 2]] * count)"])
    ]


@pytest.mark.parametrize(
    ("was", "now"),
    # Another name; two of it; none of it.
    [("values", "other"), ("values", "values + values"), ("values", "np.ones(3)")],
)
def test_only_something_around_the_value_can_be_made_elsewhere(tmp_path: Path, was: str, now: str) -> None:
    assert moved(tmp_path, PROGRAM, 5, was, now) == []


def test_a_value_of_a_notebook_is_followed_into_the_cell_that_made_it(tmp_path: Path) -> None:
    case = died_of(tmp_path, "def use(values):\n    return values.shape", "rows = [[1, 2]] * 3", "print(use(rows))")
    file = next(iter(case.project))
    edit = Edit(file, (2, 11), (2, 17), "np.array(values)")
    finding = Finding(message="it is a list", certainty="likely", location=Location(file=file, line=2))
    change = Change(title="Make an array of it", kind="form", edits=[edit])
    one = idea_of(case, Candidate(finding=finding, change=change), guessed=False)
    assert one is not None
    assert [lines_of(case, idea.change) for idea in at_makers(case, one)] == [
        ["-rows = [[1, 2]] * 3", "+rows = np.array([[1, 2]] * 3)"]
    ]


ROWS = """
    numbers = list(range(9))
    labels = column(numbers)
    by_name = {"y": labels}
    part = slice(0, 4)
    run(labels[part])
    run(by_name["y"])
"""


def test_rows_that_are_taken_are_made_with_the_array(tmp_path: Path) -> None:
    assert moved(tmp_path, ROWS, 5, "labels[part]", "np.eye(9)[labels[part]]")[0] == (
        2,
        ["-labels = column(numbers)", "+labels = np.eye(9)[column(numbers)]"],
    )
    # The dict is not what its entry is.
    assert moved(tmp_path, ROWS, 6, 'by_name["y"]', 'np.eye(9)[by_name["y"]]') == []


def test_what_is_done_to_a_column_is_not_done_to_its_table(tmp_path: Path) -> None:
    program = """
        import csv
        table = {"grade": [1, 2, 3]}
        grades = table["grade"]
        print(grades.shape)
    """
    assert moved(tmp_path, program, 4, "grades", "np.array(grades)") == [
        (3, ['-grades = table["grade"]', '+grades = np.array(table["grade"])'])
    ]
