"""Cells that ran in another order than the one that works: the exact words, and near misses."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import recording_of
from whydied.diagnose.case import Case
from whydied.diagnose.engine import diagnose
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.framework.cells_out_of_order import check
from whydied.read.cells import Cells
from whydied.read.recording import Aftermath, Recording
from whydied.records import CellEnded, CellStarted, ExceptionRaised, Frame, RaisedException, Record

SETTING, MAKER, USER = "units = 4", "weights = ones(units)", "data @ weights"


def ran(number: int, source: str, raised: str = "") -> list[Record]:
    started = CellStarted(number=number, source=source, name=f"/tmp/ipykernel_7/{number}.py", parent="")
    return [started, CellEnded(number=number, ok=not raised, before=0, after=0, raised=raised)]


def told(
    number: int, source: str, kind: str, *before: Record, cells: list[str] | None = None, wanted: str = ""
) -> Finding:
    """What is said of an exception in the last cell."""
    cause = diagnose(recorded(number, source, kind, *before, cells=cells, wanted=wanted)).cause
    assert cause is not None
    return cause


def recorded(
    number: int, source: str, kind: str, *before: Record, cells: list[str] | None = None, wanted: str = ""
) -> Recording:
    frame = Frame(file=f"/tmp/ipykernel_7/{number}.py", line=1, function="<module>", user=True, source=source)
    link = RaisedException(type=kind, module="builtins", message="m", frames=[frame], wanted=wanted or None)
    started = CellStarted(number=number, source=source, name=f"/tmp/ipykernel_7/{number}.py", parent="")
    raised = ExceptionRaised(where="main", chain=[link])
    plain = recording_of(process=[*before, started, raised], exit_code=1)
    renamed = Cells(plain.streams)
    return Recording(plain.directory, renamed.streams, aftermath=Aftermath(cells=cells or []), sources=renamed.sources)


def test_a_cell_that_did_not_run() -> None:
    above = told(
        2, "print(total)", "NameError", *ran(1, "a = 1"), cells=["a = 1", "total = a", "print(total)"], wanted="total"
    )
    assert (above.name, above.certainty) == ("cells-out-of-order", "certain")
    assert above.message.endswith(
        "`total` was not made: code cell 2 of the notebook makes it on line 1 (`total = a`), and has not run"
    )
    assert above.advice == ["Run that cell first."]
    below = told(
        2, "print(total)", "NameError", *ran(1, "a = 1"), cells=["a = 1", "print(total)", "total = a"], wanted="total"
    )
    assert below.advice == ["That cell stands below this one: move it up."]


def test_a_cell_that_failed_before_it_came_to_the_name() -> None:
    cause = told(3, "print(rows)", "NameError", *ran(2, "%pylab\nx = load()\nrows = 5", "OSError"), wanted="rows")
    assert cause.message.endswith("`rows` was not made: cell [2] makes it on line 3, but it raised OSError before that")


def test_an_object_that_is_older_than_what_it_was_made_from() -> None:
    cause = told(4, USER, "ValueError", *ran(1, SETTING), *ran(2, MAKER), *ran(3, "units = 6"))
    assert (cause.name, cause.certainty) == ("cells-out-of-order", "likely")
    assert cause.culprit is not None
    assert cause.culprit.name == "weights"
    assert "cell [2] made it from `units`, which cell [3] has changed since" in cause.message


@pytest.mark.parametrize(
    "before",
    [
        [*ran(1, SETTING), *ran(2, MAKER)],
        [*ran(1, SETTING), *ran(2, MAKER), *ran(3, SETTING)],
        [*ran(1, SETTING), *ran(2, "units = 6"), *ran(3, MAKER)],
        [*ran(1, SETTING), *ran(2, MAKER), *ran(3, "units = 6"), *ran(4, MAKER)],
        [*ran(1, SETTING), *ran(2, MAKER), *ran(3, "other = 6")],
    ],
)
def test_cells_in_order_are_not_blamed(before: list[Record]) -> None:
    assert told(9, USER, "ValueError", *before).name == "uncaught-exception"


def test_a_name_that_no_cell_makes_or_that_was_made_is_left_to_others() -> None:
    assert told(2, "print(total)", "NameError", cells=["x = 1"], wanted="total").name == "uncaught-exception"
    made = told(2, "f()", "NameError", *ran(1, "total = 1"), cells=["total = 1"], wanted="total")
    assert made.name == "uncaught-exception"


def test_an_import_that_stands_below_is_written_into_the_cell_that_lacks_it() -> None:
    before = ran(1, "a = 1")
    cells = ["a = 1", "x = layers.Dense(a)", "from keras import layers"]
    cause = told(2, "x = layers.Dense(a)", "NameError", *before, cells=cells, wanted="layers")
    assert cause.advice[0] == "Write `from keras import layers` at the top of this cell."
    recording = recorded(2, "x = layers.Dense(a)", "NameError", *before, cells=cells, wanted="layers")
    found = check(Case(recording))
    assert found is not None
    assert found.changes
    assert [(one.start, one.text) for one in found.changes[0].edits] == [((1, 0), "from keras import layers\n")]


def test_what_other_cells_have_to_make_is_not_written_again() -> None:
    cells = ["a = 1", "print(total)", "total = load(a)"]
    found = check(Case(recorded(2, "print(total)", "NameError", *ran(1, "a = 1"), cells=cells, wanted="total")))
    assert found is not None
    assert found.changes == []
