"""The weights of the classes of each of several outputs."""

from __future__ import annotations

import ast

import pytest

from whydied.diagnose.errors.calls.wrong_objects import _weights_at
from whydied.source.text import Source


@pytest.mark.parametrize(
    ("weights", "key", "at", "wanted"),
    [
        ('{"kind": a, "level": b}', '"level"', 1, "b"),
        ('{"level": b, "kind": a}', '"level"', 1, "b"),
        # Of targets in a list the names are not known.
        ('{"kind": a, "level": b}', "1", 1, "b"),
        ("[a, b]", "1", 1, "b"),
        ("{0: 1.0, 1: 2.0}", "1", 1, "{0: 1.0, 1: 2.0}"),
        ("both", '"kind"', 0, 'both["kind"]'),
    ],
)
def test_the_weights_of_one_output(weights: str, key: str, at: int, wanted: str) -> None:
    source = Source(f"w = {weights}\n")
    made = source.tree.body[0]
    assert isinstance(made, ast.Assign)
    assert _weights_at(source, made.value, key, at) == wanted
