"""DAT068: a slice with a written number gives another number of rows than is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.rules.data.slice_of_another_size import check

WINDOW = """
    import numpy as np
    steps = 30
    data = np.zeros((144, 1))
    last = data[115:].reshape(1, -1)
    window = last.reshape((1, steps, 1))
"""


def test_the_last_rows_by_the_name_of_their_number(tmp_path: Path) -> None:
    case = died_of(tmp_path, WINDOW)
    found = check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (4, "likely")
    assert "`data[115:]` gives 29 of the 144 rows of `data`, and line 5 of train.py needs 30" in found.message
    assert patches_of(case, found) == [["-last = data[115:].reshape(1, -1)", "+last = data[-steps:].reshape(1, -1)"]]


@pytest.mark.parametrize(
    ("cut", "ways"),
    [
        ("data[:29]", ["data[:steps]"]),
        ("data[100:131]", ["data[100:130]", "data[101:131]"]),
        ("data[114:]", []),
        ("data[len(data) - 29:]", []),
        ("data[::5]", []),
    ],
)
def test_a_slice_by_its_numbers(tmp_path: Path, cut: str, ways: list[str]) -> None:
    case = died_of(tmp_path, WINDOW.replace("data[115:]", cut) + "    raise ValueError\n")
    found = check(case)
    patches = patches_of(case, found) if found is not None else []
    assert [lines[-1] for lines in patches] == [f"+last = {way}.reshape(1, -1)" for way in ways]


def test_rows_that_are_assigned(tmp_path: Path) -> None:
    text = """
        import numpy as np
        data, room = np.zeros((40, 3)), np.zeros((20, 3))
        first = data[:19]
        room[:, :] = first
    """
    case = died_of(tmp_path, text)
    assert [lines[-1] for lines in patches_of(case, check(case))] == ["+first = data[:20]"]
