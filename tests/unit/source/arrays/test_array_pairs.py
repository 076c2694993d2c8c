"""Two arrays element by element: the shape that they have together."""

from __future__ import annotations

import ast

import pytest

from whydied.source.arrays.array_shapes import Array, array_computed

KNOWN = {"guessed": Array([150, 60_000], "bool"), "actual": Array([150, 1, 60_000], "bool"), "x": Array([9], "float32")}


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("tf.logical_and(guessed, actual)", Array([150, 150, 60_000], "bool")),
        ("guessed == actual", Array([150, 150, 60_000], "bool")),
        ("np.subtract(x[:, None], x)", Array([9, 9], "float32")),
        ("tf.logical_and(guessed, x)", None),
        ("tf.logical_and(guessed, other)", None),
        ("a < b < c", None),
    ],
)
def test_pairs_are_broadcast(text: str, made: Array | None) -> None:
    assert array_computed(ast.parse(text, mode="eval").body, KNOWN.get) == made
