from __future__ import annotations

import pytest

from tests.unit.source.at import at
from whydied.source.arrays.array_copies import CopyStatement, copy_at
from whydied.source.arrays.gathering import GatheringExpression, gathered_at


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("y = x.astype('float32')", CopyStatement({"x", "x.astype", "y"}, "x", "y")),
        ("tf.constant(rows)", CopyStatement({"tf", "tf.constant", "rows"}, "rows", None)),
        ("y = tf.cast(z, x[:, None].dtype)", CopyStatement({"tf", "tf.cast", "z", "y", "x[:, None].dtype"}, "z", "y")),
        ("y = x + 1", None),
    ],
)
def test_what_a_statement_copies(statement: str, found: CopyStatement | None) -> None:
    assert copy_at(*at(statement, 1)) == found


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("rows = [load(name) for name in names]", GatheringExpression("list", None, True)),
        ("rows = np.array([load(name) for name in names])", GatheringExpression("list", "np.array", False)),
        ("return {name: load(name) for name in names}", GatheringExpression("dict", None, True)),
        ("rows = sorted(map(load, names))", GatheringExpression("list", None, True)),
        ("table = table.apply(load)", GatheringExpression("result", None, True)),
        ("rows = [name for name in names]", None),
        ("rows = list(names)", None),
    ],
)
def test_what_a_statement_gathers(statement: str, found: GatheringExpression | None) -> None:
    assert gathered_at(*at(f"def f():\n    {statement}\n", 2)) == found
