"""Class numbers that `to_categorical` is given, with more than it has columns for."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.data.index_beyond_size import check
from whydied.records import DataLooked
from whydied.source.text import Source

SPLIT = """\
n = table["genre"].nunique()
a_train = to_categorical(y_train, n)
a_test = to_categorical(y_test, n)
other = to_categorical(animals, n)
few = to_categorical(y_val, 3)
"""


def _case(source: str, low: int, high: int, size: int, text: str = "y_train", **fields: object) -> Case:
    message = f"index {high} is out of bounds for axis 1 with size {size}"
    seen = DataLooked(link=0, text=text, lowest=low, highest=high, **{"type": "numpy.ndarray", "shape": [9], **fields})  # type: ignore[arg-type]
    case = case_of(exit_code=1, process=[seen, raised("IndexError", message, number=2)])
    case.recording.sources[FILE] = Source(source)
    return case


def test_the_parts_of_one_split_are_counted_from_zero_together() -> None:
    case = _case(SPLIT, 1, 9, 9)
    found = check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (2, "likely")
    assert "run from 1 to 9, and classes count from 0" in found.message
    assert patches_of(case, found) == [
        [
            "-a_train = to_categorical(y_train, n)",
            "-a_test = to_categorical(y_test, n)",
            "+a_train = to_categorical(y_train - 1, n)",
            "+a_test = to_categorical(y_test - 1, n)",
        ]
    ]


@pytest.mark.parametrize(
    ("source", "low", "size", "patch"),
    [
        ("n = 9\ny = to_categorical(y_train, num_classes=n)\n", 0, 9, ["-n = 9", "+n = 10"]),
        (
            "\ny = to_categorical(y_train.astype(int), num_classes=7)\n",
            2,
            7,
            [
                "-y = to_categorical(y_train.astype(int), num_classes=7)",
                "+y = to_categorical(y_train.astype(int), num_classes=10)",
            ],
        ),
    ],
)
def test_more_labels_than_classes(source: str, low: int, size: int, patch: list[str]) -> None:
    case = _case(source, low, 9, size)
    found = check(case)
    assert found is not None
    assert "10 classes are needed" in found.advice[0]
    assert patches_of(case, found) == [patch]


def test_labels_that_were_not_seen_are_not_told() -> None:
    assert check(_case(SPLIT, 1, 9, 9, text="x_train")) is None
    assert check(_case(SPLIT, -1, 9, 9)) is None
    assert check(_case(SPLIT, 1, 9, 9, shape=[9, 4])) is None
