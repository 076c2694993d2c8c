"""A notebook as a case: its cells are the project."""

from __future__ import annotations

from tests.unit.diagnose.case_of import recording_of
from whydied.diagnose.case import Case
from whydied.records import CellStarted, MainFound, Record
from whydied.source.text import Source

LAUNCHER = "/venv/ipykernel_launcher.py"


def project(*records: Record) -> list[str]:
    recording = recording_of(process=[MainFound(file=LAUNCHER), *records], exit_code=1)
    recording.sources.clear()
    recording.project[LAUNCHER] = Source("from ipykernel import kernelapp\n")
    recording.sources["/home/ann/work.ipynb/cell [1]"] = Source("x = 1\n")
    return list(Case(recording).project)


def test_what_runs_the_cells_is_not_the_users() -> None:
    assert project(CellStarted(number=1, source="x = 1", name="<a>", parent="")) == ["/home/ann/work.ipynb/cell [1]"]


def test_the_file_of_a_program_without_cells_is() -> None:
    assert LAUNCHER in project()
