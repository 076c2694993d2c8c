"""Ids numbered anew where the program makes them or passes them."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, after, source_of
from whydied.source.edits.runs.renumbered_ids import renumbered

PANDAS = "import pandas as pd\nimport numpy as np\n"


def _after(text: str, part: int | str | None, line: int) -> tuple[list[str], int] | None:
    source = source_of(text)
    found = renumbered(source, FILE, line, "fit", part)
    return (after(source, [found.edit]), found.line) if found is not None else None


def test_a_column_is_numbered_where_it_is_filled() -> None:
    text = PANDAS + 't["user"] = t["id"]\nx = [t["user"].to_numpy(), t["film"].values]\nmodel.fit(x, y)\n'
    assert _after(text, 0, 5) == (['t["user"] = pd.factorize(t["id"])[0]'], 3)
    assert _after(text, 1, 5) == (['x = [t["user"].to_numpy(), pd.factorize(t["film"])[0]]'], 4)


def test_an_argument_is_numbered_where_it_is_passed() -> None:
    assert _after(PANDAS + 'model.fit({"u": users}, y)\nusers = 1\n', "u", 3) is None
    assert _after(PANDAS + 'model.fit({"u": t.users}, y)\n', "u", 3) == (
        ['model.fit({"u": pd.factorize(t.users)[0]}, y)'],
        3,
    )
    assert _after("import numpy as np\nids = load()\nmodel.fit(ids, y)\n", None, 3) == (
        ["ids = np.unique(load(), return_inverse=True)[1]"],
        2,
    )


@pytest.mark.parametrize("first", ["a, b = train_test_split(t)\n", "a = 1\na = 2\n"])
def test_what_cannot_be_followed_is_left(first: str) -> None:
    text = PANDAS + first + "model.fit(a, y)\n"
    assert _after(text, None, text.count("\n")) is None


@pytest.mark.parametrize("first", ["a, b = train_test_split(t)\n", "a = t.sample(frac=0.8)\n", "a = t[:900]\n"])
def test_some_rows_of_a_table_are_not_numbered_by_themselves(first: str) -> None:
    assert _after(PANDAS + first + "model.fit([a.user, a.film], y)\n", 0, 4) is None
