"""How many different values the columns of a table have."""

from __future__ import annotations

import pytest

from whydied.inside.errors import distinct_values

pandas = pytest.importorskip("pandas")


class _Counted:
    def __hash__(self) -> int:
        raise AssertionError("code of the program's was run")


def test_text_columns_are_counted_and_those_with_most_come_first() -> None:
    table = pandas.DataFrame({"depot": ["a", "b", "a"], "number": [1, 2, 3], "parcel": ["x", "y", "z"]})
    assert list(distinct_values.distinct(table).items()) == [("parcel", 3), ("depot", 2)]


def test_nothing_of_the_program_runs_and_large_tables_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pandas.DataFrame({"what": [_Counted(), _Counted()], "mixed": ["a", 1]})
    assert distinct_values.distinct(table) == {}
    monkeypatch.setattr(distinct_values, "LARGEST_ROWS", 2)
    assert distinct_values.distinct(pandas.DataFrame({"name": ["a", "b", "c"]})) == {}
    assert distinct_values.distinct([1, 2]) == {}
