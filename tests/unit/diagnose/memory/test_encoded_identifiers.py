"""A column that is different in every row, and is one-hot encoded: an allocation that NumPy is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.memory.large_statements.encoded_identifiers import encoded_identifiers

pandas = pytest.importorskip("pandas")
numpy = pytest.importorskip("numpy")
ROWS = 2_000
TABLE = """
import pandas as pd
orders = pd.DataFrame({
    "parcel": [f"LX{at}" for at in range(2000)], "depot": ["HAM", "BER"] * 1000, "late": [0, 1] * 1000,
})
"""


@pytest.fixture(autouse=True)
def _refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few rows are granted what they need: this asks for more than any machine has."""

    # Code of no file is not the program's.
    made: dict[str, Any] = {"numpy": numpy}
    exec("def encode(table, columns=None): numpy.zeros((1 << 20, 1 << 25))", made)
    monkeypatch.setattr(pandas, "get_dummies", made["encode"])


@pytest.mark.parametrize(
    ("text", "line", "patch"),
    [
        (
            "data = orders.drop(columns=['late'])\npd.get_dummies(data)",
            1,
            ["-data = orders.drop(columns=['late'])", "+data = orders.drop(columns=['late', 'parcel'])"],
        ),
        (
            "data = orders.drop(columns='late')\npd.get_dummies(data)",
            1,
            ["-data = orders.drop(columns='late')", "+data = orders.drop(columns=['late', 'parcel'])"],
        ),
        (
            "data = orders.dropna()\npd.get_dummies(data)",
            2,
            ["-data = orders.dropna()", "+data = orders.dropna().drop(columns=['parcel'])"],
        ),
        (
            "names = list(orders)\npd.get_dummies(orders[['parcel', 'depot']])",
            2,
            ["-pd.get_dummies(orders[['parcel', 'depot']])", "+pd.get_dummies(orders[['depot']])"],
        ),
    ],
)
def test_the_column_is_dropped(tmp_path: Path, text: str, line: int, patch: list[str]) -> None:
    case = died_of(tmp_path, TABLE + text)
    found = encoded_identifiers(case, [ROWS, ROWS])
    assert found is not None
    assert found.words.startswith("`parcel` has 2,000 different values, and `get_dummies` makes a column of each")
    assert found.place.line == TABLE.strip().count("\n") + 1 + line
    assert patches_of(case, found.changes) == [patch]


def test_it_is_taken_from_the_list_of_columns_too(tmp_path: Path) -> None:
    text = "data = orders.drop(columns=['late'])\npd.get_dummies(data, columns=['parcel', 'depot'])"
    case = died_of(tmp_path, TABLE + text)
    found = encoded_identifiers(case, [ROWS, ROWS])
    assert found is not None
    assert found.advice[0].startswith("Drop `parcel` before encoding (add `'parcel'` on line 5 of train.py)")
    assert [line for line in patches_of(case, found.changes)[0] if line.startswith("+")] == [
        "+data = orders.drop(columns=['late', 'parcel'])",
        "+pd.get_dummies(data, columns=['depot'])",
    ]


def test_what_is_not_most_of_it_is_not_blamed(tmp_path: Path) -> None:
    case = died_of(tmp_path, TABLE + "pd.get_dummies(orders)")
    assert encoded_identifiers(case, [ROWS, 90_000]) is None
    assert encoded_identifiers(case, [ROWS]) is None
    few = died_of(tmp_path, TABLE + "pd.get_dummies(orders[['depot']])")
    assert encoded_identifiers(few, [ROWS, ROWS]) is None
    other = died_of(tmp_path, TABLE + "import numpy\nnumpy.zeros((1 << 40, len(orders)))")
    assert encoded_identifiers(other, [ROWS, ROWS]) is None
