"""A cell of a notebook gets a patch as a file does, under its number."""

from __future__ import annotations

from pathlib import Path

from tests.unit.diagnose.died_of import died_of
from whydied.diagnose.engine import diagnose


def test_a_cell_gets_a_patch_by_its_number(tmp_path: Path) -> None:
    case = died_of(tmp_path, "values = {}", "print(valeus)")
    found = diagnose(case.recording, case=case)
    assert found.cause is not None
    assert found.cause.advice == ["Did you mean 'values'?"]
    (fix,) = found.fixes
    assert (fix.patch or "").splitlines()[:5] == [
        "--- a/cell 2\t",
        "+++ b/cell 2\t",
        "@@ -1,2 +1,2 @@",
        "-print(valeus)",
        "+print(values)",
    ]
    assert [edit.text for edit in fix.edits] == ["values"]


def test_a_file_gets_its_patch(tmp_path: Path) -> None:
    case = died_of(tmp_path, "values = {}\nprint(valeus)")
    assert len(diagnose(case.recording, case=case).fixes) == 1
