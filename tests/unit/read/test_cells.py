"""Records, crash dumps and messages of a kernel in terms of cells; a run without cells is left as it is."""

from __future__ import annotations

from tests.unit.diagnose.case_of import stream
from whydied.diagnose.finding import Location
from whydied.read.cells import Cells
from whydied.read.faults import Fault, FaultFrame, FaultThread
from whydied.records import (
    CellCode,
    CellEnded,
    CellStarted,
    ExceptionRaised,
    Frame,
    Holder,
    LineSampled,
    RaisedException,
    Record,
)
from whydied.report.excerpt import excerpt

PID = 77
NAME = "/tmp/ipykernel_77/1.py"


def _cell(number: int, source: str, name: str = NAME, **fields: object) -> CellStarted:
    return CellStarted(number=number, source=source, name=name, parent="", **fields)  # type: ignore[arg-type]


def _ended(number: int) -> CellEnded:
    return CellEnded(number=number, ok=True, before=0, after=0)


def _line(file: str, line: int) -> LineSampled:
    return LineSampled(frames=[Frame(file=file, line=line, function="<module>", user=True)])


def _read(*records: Record) -> tuple[Cells, list[Record]]:
    cells = Cells([stream(f"process-{PID}-1", PID, records)])
    return cells, [entry.record for entry in cells.streams[0].entries]


def _place(record: Record) -> tuple[str, int]:
    assert isinstance(record, LineSampled)
    return record.frames[0].file, record.frames[0].line


def test_a_run_without_cells_is_the_very_same() -> None:
    plain = stream("process-1-1", 1, [_line("train.py", 3)])
    assert Cells([plain]).streams[0] is plain


def test_a_name_means_the_cell_that_ran_last_before() -> None:
    _, read = _read(_cell(3, "x = 1"), _line(NAME, 1), _ended(3), _cell(7, "x = 1"), _line(NAME, 1))
    assert _place(read[1]) == ("kernel-77/cell [3]", 1)
    assert _place(read[4]) == ("kernel-77/cell [7]", 1)


def test_lines_count_as_in_the_notebook() -> None:
    cells, read = _read(
        _cell(2, "\n\n%%time\nx = 1\ny = 2", blank=2, notebook="/home/ann/a.ipynb"),
        CellCode(number=2, name="<timed exec>", skipped=3),
        _line("<timed exec>", 2),
        _line(NAME, 1),
        _line("/home/ann/other.py", 9),
    )
    assert [_place(record) for record in read[2:]] == [
        ("/home/ann/a.ipynb/cell [2]", 5),
        ("/home/ann/a.ipynb/cell [2]", 3),
        ("/home/ann/other.py", 9),
    ]
    statement = cells.sources["/home/ann/a.ipynb/cell [2]"].statement(5)
    assert statement is not None
    assert statement.source == "y = 2"


def test_statements_are_those_of_the_code_and_show_the_text_of_the_cell() -> None:
    source = "%matplotlib inline\nx = f(\n    1,\n)\n!ls"
    code = "get_ipython().run_line_magic('matplotlib', 'inline')\nx = f(\n    1,\n)\nget_ipython().system('ls')\n"
    cells, _ = _read(_cell(1, source, code=code))
    found = cells.sources["kernel-77/cell [1]"]
    inner, shell = found.statement(3), found.statement(5)
    assert inner is not None
    assert shell is not None
    assert (inner.line, inner.end_line) == (2, 4)
    assert shell.source == "!ls"


def test_places_deep_inside_a_record_and_in_texts_move_too() -> None:
    link = RaisedException(
        type="ValueError",
        module="builtins",
        message=f'in user code:\n\n    File "{NAME}", line 2, in f  *\n        raise\n(1.py, line 1)',
        frames=[Frame(file=NAME, line=2, function="f")],
    )
    _, read = _read(_cell(4, "\nimport x\nf()", blank=1), ExceptionRaised(where="cell", chain=[link]))
    moved = read[1]
    assert isinstance(moved, ExceptionRaised)
    frame = moved.chain[0].frames[0]
    assert (frame.file, frame.line, frame.user) == ("kernel-77/cell [4]", 3, True)
    assert 'File "kernel-77/cell [4]", line 3' in moved.chain[0].message
    assert "(cell [4], line 2)" in moved.chain[0].message


def test_a_crash_dump_moves_and_that_of_another_process_does_not() -> None:
    cells, _ = _read(_cell(1, "x"))
    frames = [FaultFrame(NAME, 1, "<module>")]
    mine, other = cells.faults([Fault(pid, "fault", [FaultThread(True, frames)]) for pid in (PID, 5)])
    assert mine.threads[0].frames[0].file == "kernel-77/cell [1]"
    assert other.threads[0].frames[0].file == NAME


def test_what_lies_beside_the_streams_moves() -> None:
    cells, _ = _read(_cell(1, "x"))
    moved = cells.values({"a": [Holder(path="x", root="global", file=NAME, line=1)]})
    assert moved["a"][0].file == "kernel-77/cell [1]"


def test_a_place_in_a_cell_is_spelled_as_one() -> None:
    place = Location(file="/home/ann/a.ipynb/cell [12]", line=3, around=["a", "b", "c", "d"], around_line=1)
    assert (place.cell, place.spelled, place.whole) == (12, "cell [12], line 3", "cell [12], line 3")
    assert [(line.number, line.text, line.marked) for line in excerpt(place)] == [
        (1, "a", False),
        (2, "b", False),
        (3, "c", True),
        (4, "d", False),
    ]
    plain = Location(file="/home/ann/train.py", line=3)
    assert (plain.cell, plain.spelled, plain.whole) == (None, "train.py:3", "/home/ann/train.py:3")
