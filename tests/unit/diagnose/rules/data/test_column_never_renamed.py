"""DAT071: a column that a `rename` was to make."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.diagnose.died_of import died_of
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.rules.data.column_never_renamed import check

pytest.importorskip("pandas")
TABLE = "import pandas as pd\ntable = pd.DataFrame({'Chain Name': ['a'], 'pH': [1.0]})\n"


@pytest.mark.parametrize(
    ("old", "told"),
    [
        ("Chain  Name", "its `Chain Name` has 2 blanks, that of the table 1 blank"),
        ("chain name", "the table has no `chain name`, but `Chain Name`"),
        ("Chain Nane", "the table has no `Chain Nane`, but `Chain Name`"),
        ("ChainName", "its `Chain Name` has no blanks, that of the table 1 blank"),
    ],
)
def test_an_old_name_that_the_table_writes_otherwise(tmp_path: Path, old: str, told: str) -> None:
    renamed = f"table = table.rename(columns={{'{old}': 'chain',\n    'pH': 'ph'}})"
    case = died_of(tmp_path, TABLE + renamed + "\ntable[['chain', 'ph']]\n")
    found = check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (3, "likely")
    assert told in found.message
    assert patches_of(case, found)[0][-1] == "+table = table.rename(columns={'Chain Name': 'chain',"


def test_cells_and_a_dictionary_with_a_name(tmp_path: Path) -> None:
    names = "names = {'Chain  Name': 'chain'}\ntable = table.rename(columns=names)"
    case = died_of(tmp_path, TABLE, names, "table['chain'].str.len()")
    found = check(case)
    assert found is not None
    assert found.location is not None
    assert (found.location.cell, found.location.line) == (2, 1)
    assert patches_of(case, found)[0][-1] == "+names = {'Chain Name': 'chain'}"


@pytest.mark.parametrize(
    ("renamed", "right"),
    [
        ("table.rename(columns={'pH': 'ph'})", "table = table.rename(columns={'pH': 'ph'})"),
        ("table = table.rename({'pH': 'ph'})", "table = table.rename(columns={'pH': 'ph'})"),
    ],
)
def test_a_rename_without_effect(tmp_path: Path, renamed: str, right: str) -> None:
    case = died_of(tmp_path, TABLE + renamed + "\ntable['ph'].mean()\n")
    assert patches_of(case, check(case)) == [[f"-{renamed}", f"+{right}"]]


@pytest.mark.parametrize(
    "text",
    [
        "table = table.rename(columns={'Depth': 'chain'})\ntable['chain']",
        "other = table.rename(columns={'pH': 'ph'})\ntable['ph']",
        "table.rename(columns={'pH': 'ph'}, inplace=True)\ntable['pH']",
        "table['chain']\ntable = table.rename(columns={'Chain  Name': 'chain'})",
    ],
)
def test_nothing_is_said_of_other_names(tmp_path: Path, text: str) -> None:
    assert check(died_of(tmp_path, TABLE + text + "\n")) is None
