"""Layers that a method makes anew in each call, made by the constructor, one for each use."""

from __future__ import annotations

import ast

import pytest

from tests.unit.source.edits.written import FILE, source_of, whole
from whydied.source.edits.created_per_use import created_per_use
from whydied.source.edits.runs.created_once import made_by_method
from whydied.source.trees import walk

HEAD = "import tensorflow as tf\nfrom keras import layers\n\n"
STAGE = """class Stage(layers.Layer):
    def __init__(self, depth, width):
        super().__init__()
        self.depth = depth
        self.width = width

    def unit(self, x, activation):
        return layers.Dense(self.width, activation)(x)

    def call(self, x):
        for at in range(self.depth):
            x = self.unit(x, "relu")
        return x"""


def _changed(text: str) -> str | None:
    source = source_of(HEAD + text)
    edits = created_per_use(source, FILE, walk(source.tree, ast.ClassDef)[0], "call")
    return (whole(source, edits) or "").removeprefix(HEAD) if edits else None


def test_what_a_helper_makes_in_a_loop_is_a_list() -> None:
    changed = _changed(STAGE)
    assert changed is not None
    assert "        self.dense_list = [layers.Dense(self.width, 'relu') for at in range(self.depth)]\n" in changed
    assert "    def unit(self, x, activation, dense):\n        return dense(x)\n" in changed
    assert "        for dense in self.dense_list:\n" in changed
    assert 'x = self.unit(x, "relu", dense=dense)' in changed


def test_the_number_of_the_pass_stays_where_it_is_used() -> None:
    changed = _changed(STAGE.replace('"relu")', '"relu") * at').replace("range(self.depth)", "range(self.depth)"))
    assert changed is not None
    assert "        for at, dense in zip(range(self.depth), self.dense_list):\n" in changed


def test_each_call_outside_of_a_loop_has_its_own() -> None:
    text = STAGE.replace("for at in range(self.depth):\n            x =", "x = self.unit(x, None)\n        x =")
    changed = _changed(text)
    assert changed is not None
    assert (
        "self.dense = layers.Dense(self.width, None)\n        self.dense_2 = layers.Dense(self.width, 'relu')"
        in changed
    )
    assert "x = self.unit(x, None, dense=self.dense)" in changed


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("range(self.depth)", "x"),
        ("range(self.depth)", "range(self.later)"),
        ("        for at in range(self.depth):", "        while tf.reduce_sum(x) < 9:"),
        ("layers.Dense(self.width, activation)", "layers.Dense(x.shape[-1], activation)"),
        ("super().__init__()", "pass"),
    ],
)
def test_what_the_constructor_does_not_know_is_left_alone(old: str, new: str) -> None:
    assert _changed(STAGE.replace(old, new)) is None


def test_the_line_that_makes_is_told_also_where_it_is_used_later() -> None:
    text = STAGE.replace(
        "return layers.Dense(self.width, activation)(x)", "one = layers.Dense(3)\n        return one(x)"
    )
    source = source_of(HEAD + text)
    for line in (11, 12):
        found = made_by_method(source, line)
        assert found is not None
        assert (found[0].lineno, found[1].name) == (11, "Stage")
    assert made_by_method(source, 8) is None
