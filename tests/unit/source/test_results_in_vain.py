"""Functions whose last line computes what nobody can see."""

from __future__ import annotations

import ast
import textwrap

import pytest

from whydied.source.results import ends_in_vain


@pytest.mark.parametrize(
    ("body", "in_vain"),
    [
        ("y = x + 1", True),
        ("x -= mean(x)", True),
        ("y = x + 1\nreturn y", False),
        ("global y\ny = x + 1", False),
        ("self.y = x + 1", False),
        ("rows[0] = x", False),
        ("print(x)", False),
        ("yield x\ny = x", False),
    ],
)
def test_what_the_last_line_is_for(body: str, in_vain: bool) -> None:
    function = ast.parse("def f(x):\n" + textwrap.indent(body, "    ")).body[0]
    assert isinstance(function, ast.FunctionDef)
    assert ends_in_vain(function) is in_vain
