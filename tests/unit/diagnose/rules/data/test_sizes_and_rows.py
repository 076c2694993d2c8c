"""DAT060 and DAT061: a written size that the data do not have, and rows that a data set dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.rules.data import remainder_dropped, size_unlike_data

DRIVES = """
    import numpy as np

    WIDTH, HEIGHT = 8, 6

    def load(input_size):
        rows = np.empty((0, input_size))
        for at in range(2):
            drive = np.array([[at] * 48])
            rows = np.vstack((rows, drive))
        return rows

    size = 8 * 3
    load(size)
"""


def test_a_written_size_is_followed_to_its_statement(tmp_path: Path) -> None:
    case = died_of(tmp_path, DRIVES)
    found = size_unlike_data.check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (12, "likely")
    assert "`size` is 24 (`8 * 3`), with which `rows` is made on line 6" in found.message
    assert patches_of(case, found) == [["-size = 8 * 3", "+size = WIDTH * HEIGHT"]]


def test_a_part_that_does_not_fit_into_an_array_of_a_written_size(tmp_path: Path) -> None:
    case = died_of(
        tmp_path,
        """
        import numpy as np

        frames = np.zeros((2, 5, 4))
        for at in range(2):
            frame = np.array([[1.0] * 4] * 6)
            frames[at] = frame
        """,
    )
    found = size_unlike_data.check(case)
    assert found is not None
    assert patches_of(case, found) == [["-frames = np.zeros((2, 5, 4))", "+frames = np.zeros((2, 6, 4))"]]


@pytest.mark.parametrize(
    "text",
    [
        DRIVES.replace("np.array([[at] * 48])", "np.ones((1, 48))"),
        DRIVES.replace("size = 8 * 3", "size = len(str(1))"),
        DRIVES.replace("np.array([[at] * 48])", "np.array([[[at] * 48]])"),
    ],
    ids=["both are written", "computed from something", "another number of axes"],
)
def test_a_size_that_may_be_right_is_not_told(tmp_path: Path, text: str) -> None:
    assert size_unlike_data.check(died_of(tmp_path, text)) is None


PREDICTED = """
    import numpy as np

    class Data:
        def __init__(self, rows):
            self.rows = rows
        def batch(self, size, drop_remainder=False):
            return Data(len(range(self.rows)) // size * size if drop_remainder else self.rows)

    class Model:
        def predict(self, data):
            return np.ones((data.rows, 1))

    SIZE = 4

    def load(rows):
        return Data(rows).batch(SIZE, drop_remainder=True)

    names = [str(at) for at in range(10)]
    held = load(10)
    model = Model()
    scores = model.predict(held)
    for at, name in enumerate(names):
        print(name, scores[at])
"""


def test_the_batch_that_was_dropped_is_told(tmp_path: Path) -> None:
    case = died_of(tmp_path, PREDICTED)
    found = remainder_dropped.check(case)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 16
    assert "`scores` on line 23 of train.py has 8 rows of 10 (8 = 2 × 4): 2 rows are left out" in found.message
    assert patches_of(case, found)[0][1] == "+    return Data(rows).batch(SIZE)"


@pytest.mark.parametrize(
    "text",
    [
        PREDICTED.replace(", drop_remainder=True)", ")").replace("load(10)", "load(8)"),
        PREDICTED.replace("load(10)", "load(6)"),
        PREDICTED.replace("SIZE, drop", "3, drop").replace("return np.ones((data.rows, 1))", "return np.ones((8, 1))"),
    ],
    ids=["nothing is dropped", "more than a batch is missing", "no multiple of the batch"],
)
def test_rows_that_are_missing_for_another_reason_are_not_told(tmp_path: Path, text: str) -> None:
    assert remainder_dropped.check(died_of(tmp_path, text)) is None
