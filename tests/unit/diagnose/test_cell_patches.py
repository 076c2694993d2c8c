"""A cell of a notebook is no file that a patch could be applied to."""

from __future__ import annotations

from pathlib import Path

from tests.unit.diagnose.died_of import died_of
from whydied.diagnose.engine import diagnose


def test_a_cell_gets_advice_and_no_patch(tmp_path: Path) -> None:
    case = died_of(tmp_path, "values = {}", "print(valeus)")
    found = diagnose(case.recording, case=case)
    assert found.cause is not None
    assert found.cause.advice == ["Did you mean 'values'?"]
    assert found.fixes == []


def test_a_file_gets_its_patch(tmp_path: Path) -> None:
    case = died_of(tmp_path, "values = {}\nprint(valeus)")
    assert len(diagnose(case.recording, case=case).fixes) == 1
