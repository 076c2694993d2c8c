"""DAT080: windows of one column that are reshaped as if they held all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.rules.inputs.one_column_taken import check

APPENDED = """
    import numpy as np

    def windows(table, steps):
        found = []
        for i in range(len(table) - steps):
            found.append(table[i:i + steps, 0])
        return np.array(found), table[steps:, 1]

    x, y = windows(np.ones((20, 3)), 5)
    x = x.reshape(len(x), 5, 3)
"""
INLINE = """
    import numpy as np
    table, COLUMN = np.ones((20, 3)), 1
    x = np.stack([table[i:i + 4, COLUMN] for i in range(16)])
    x = np.reshape(x, (-1, 4, 3))
"""


def test_windows_that_are_appended_to_a_list(tmp_path: Path) -> None:
    case = died_of(tmp_path, APPENDED)
    found = check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (6, "likely")
    assert found.message.endswith(
        "`table[i:i + steps, 0]` takes column 0 alone, and line 10 of train.py reshapes `x` to (15, 5, 3), 3 times as "
        "many values"
    )
    assert patches_of(case, found)[0][-1] == "+        found.append(table[i:i + steps, :])"


def test_windows_of_a_comprehension_and_a_named_column(tmp_path: Path) -> None:
    case = died_of(tmp_path, INLINE)
    found = check(case)
    assert found is not None
    assert patches_of(case, found)[0][-1] == "+x = np.stack([table[i:i + 4, :] for i in range(16)])"


@pytest.mark.parametrize(
    "text",
    [
        # Twice as many values are asked for, in other places.
        APPENDED.replace("5, 3)", "5, 1, 2, 7)"),
        # All columns are taken, and the number of steps is another.
        APPENDED.replace("steps, 0]", "steps]").replace("5, 3)", "15, 3)"),
    ],
)
def test_a_reshape_that_fails_of_something_else(tmp_path: Path, text: str) -> None:
    assert check(died_of(tmp_path, text)) is None
