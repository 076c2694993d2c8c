"""Columns of pandas, whichever module a version of it says that they are of."""

from __future__ import annotations

import pytest

from whydied.inside.public.contract.data_parts import array_of, leaves_of

pandas = pytest.importorskip("pandas")


def test_columns_are_read() -> None:
    table = pandas.DataFrame({"id": [3, 9], "name": ["a", "b"]})
    leaves = leaves_of({"x": table.id}, "x")
    assert [leaf.name for leaf in leaves] == ["x['x']"]
    assert array_of(leaves[0].value).tolist() == [3, 9]


def test_other_objects_with_such_a_method_are_not() -> None:
    class Own:
        def to_numpy(self) -> None:
            raise AssertionError("code of the user's must not run")

    assert array_of(Own()) is None
