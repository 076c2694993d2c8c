"""The statement at fault where the line that raised only uses what is made there."""

from __future__ import annotations

from pathlib import Path

from tests.unit.diagnose.died_of import died_of
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding, Location
from whydied.prove.blamed_use import made_there
from whydied.source.edits.edit import Change, Edit

PROGRAM = """
    def run(fed):
        return 1 + fed["a"]

    limit = 3
    given = {"a": "x", "b": limit}
    other = 5
    run(given)
"""


def told(case: Case, at: int, *lines: int) -> int | None:
    """The line that a finding at a line is moved to by changes of some lines."""
    file = next(iter(case.project))
    finding = Finding(message="x", certainty="certain", location=Location(file=file, line=at))
    changes = [Change(title="t", kind="k", edits=[Edit(file, (line, 0), (line, 1), "y")]) for line in lines]
    found = made_there(case, [finding], changes)
    return found.line if found is not None else None


def test_the_statement_that_made_what_was_used(tmp_path: Path) -> None:
    case = died_of(tmp_path, PROGRAM)
    assert told(case, 2, 5) == 5
    assert told(case, 2, 5, 5) == 5
    assert told(case, 2, 4) == 4


def test_an_import_that_the_change_needs_is_no_place(tmp_path: Path) -> None:
    case = died_of(tmp_path, PROGRAM)
    file = next(iter(case.project))
    finding = Finding(message="x", certainty="certain", location=Location(file=file, line=2))
    edits = [Edit(file, (1, 0), (1, 0), "import numpy as np\n"), Edit(file, (5, 0), (5, 1), "y")]
    found = made_there(case, [finding], [Change(title="t", kind="k", edits=edits)])
    assert found is not None
    assert found.line == 5


def test_what_is_left_where_it_is(tmp_path: Path) -> None:
    """A change of the line itself, changes of several statements, a statement that nothing of it comes from, and a
    finding that blames another line than the one that raised."""
    case = died_of(tmp_path, PROGRAM)
    assert told(case, 2, 2) is None
    assert told(case, 2, 4, 5) is None
    assert told(case, 2, 6) is None
    assert told(case, 4, 5) is None
    assert told(case, 2) is None
