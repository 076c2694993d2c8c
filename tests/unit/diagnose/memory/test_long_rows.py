"""Steps of which not even one row fits: the length that would, and the line that says it."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE
from tests.unit.diagnose.memory_runs import MIB, at, got, killed, seen, step
from tests.unit.graph.drawing import Drawing, table
from whydied.diagnose.case import Case
from whydied.diagnose.memory.long_rows import long_row, written_length
from whydied.diagnose.memory.step_need import need_of
from whydied.diagnose.rules.memory.at_once import batch_too_large, row_too_large
from whydied.records import CallBegan, GraphRecorded

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


def test_a_setting_is_named_by_its_key() -> None:
    case = _case(20_000, source="OPTIONS = {\n    'size': (20000, 20000),\n}\nnet(x)\n")
    found = written_length(case, 20_000)
    assert found is not None
    assert (found.name, found.place.line, len(found.numbers)) == ("OPTIONS['size']", 1, 2)


def _of_loader(length: int) -> Case:
    """The same in `fit`, with a loader that does not say how many rows a batch has."""
    case = _case(length)
    graph = case.recording.graphs
    call = CallBegan(call=1, kind="fit", frames=[at(3)], model="net", arguments={"x": {"type": "Scans"}})
    recorded = GraphRecorded(function="step", file="1-0.bin", operations=5)
    case = killed(SOURCE, seen(3, 300), call, recorded, step(1), seen(3, 900))
    case.recording.graphs = graph
    return case


def test_data_that_do_not_tell_their_batch_have_one_row_at_least() -> None:
    found = row_too_large.check(_of_loader(20_000))
    assert found is not None
    assert "a step needs " in found.message
    assert " for one row; " in found.message
    assert row_too_large.check(_of_loader(2_000)) is None
