"""Steps of which not even one row fits: the length that would, and the line that says it."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE
from tests.unit.diagnose.memory_runs import MIB, got, killed, seen
from tests.unit.graph.drawing import Drawing, table
from whydied.diagnose.case import Case
from whydied.diagnose.memory.long_rows import long_row, written_length
from whydied.diagnose.memory.step_need import need_of
from whydied.diagnose.rules.memory.at_once import batch_too_large, row_too_large
from whydied.records import GraphRecorded

SOURCE = "LENGTH = 20000\nx = load(LENGTH)\nnet(x)\n"


def _case(length: int, rows: int = 4, source: str = SOURCE) -> Case:
    """A step that compares all places of a text with each other, in a text of so many."""
    drawing = Drawing()
    x = drawing.argument((None, length, length))
    scores = drawing.op("Mul", x, x, shape=(None, length, length), name="scores/Mul")
    other = drawing.op("Mul", x, scores, shape=(None, length, length), name="scores/Mul_1")
    back = drawing.op("Mul", scores, other, shape=(None, length, length), name="gradient_tape/scores/Mul")
    keeping = drawing.op("Mul", back, x, shape=(None, length, length), name="gradient_tape/scores/Mul_1")
    graph = table(drawing.function(keeping))
    recorded = GraphRecorded(function="step", file="1-0.bin", operations=5)
    records = (seen(3, 300), recorded, got(3, [rows, length, length], unit="function"), seen(3, 900))
    return killed(source, *records, graphs={"1-0.bin": graph})


def test_a_length_that_fits_is_named_where_no_batch_does() -> None:
    case = _case(20_000)
    found = row_too_large.check(case)
    assert found is not None
    assert found.location is not None
    assert found.culprit is not None
    assert (found.location.line, found.culprit.name, found.culprit.value) == (1, "LENGTH", "20000")
    assert "grows with the square of 20,000" in found.message
    assert found.advice[0].startswith("Set `LENGTH` to ")
    need = need_of(case)
    row = long_row(need, 724 * MIB)
    assert row is not None
    assert row.fits is not None
    assert 3 * 4 * 4 * row.fits**2 < 724 * MIB
    assert [change.edits[0].text for change in found.changes or []] == [str(row.fits)]


def test_a_batch_that_fits_is_a_matter_of_the_batch() -> None:
    case = _case(4_000, rows=64)
    assert row_too_large.check(case) is None
    assert batch_too_large.check(case) is not None


def test_a_number_that_stands_in_several_lines_is_nobodys() -> None:
    case = _case(20_000, source="LENGTH = 20000\nx = load(20000)\nnet(x)\n")
    assert written_length(case, 20_000) is None
    found = row_too_large.check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.file, found.location.line) == (FILE, 3)
    assert found.advice[0].startswith("Use a length of")
