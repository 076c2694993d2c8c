"""The `fit` that a program has not reached yet."""

from __future__ import annotations

import ast
import json
from pathlib import Path

from whydied.inside.errors.framework import planned_data


def test_a_name_that_gets_another_value_before_the_fit() -> None:
    tree = ast.parse("model.add(a)\nx = x[..., None]\nmodel.fit(x, y)\nother.fit(x=z)\n")
    first, second = planned_data._fits(tree, 1, frozenset())
    assert (first.owner, ast.unparse(first.data), "x" in first.changed) == ("model", "x", True)
    assert (second.owner, ast.unparse(second.data), "z" in second.changed) == ("other", "z", False)
    assert list(planned_data._fits(tree, 4, frozenset())) == []


def test_the_cells_of_a_notebook(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# a"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "a = 1"]},
        {"cell_type": "code", "source": "model.fit(x, y)"},
    ]
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    assert planned_data._cells(str(path)) == ["\na = 1", "model.fit(x, y)"]
    assert planned_data._cells(str(tmp_path / "none.ipynb")) == []
