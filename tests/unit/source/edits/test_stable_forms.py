"""Stable forms: what is the same function, and what only looks like it."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, after, source_of
from whydied.source.edits.runs.stable_forms import stable_form

IMPORTS = "import keras\nimport tensorflow as tf\ndef f(x, z):\n"


def rewritten(*lines: str) -> list[str]:
    source = source_of(IMPORTS + "".join(f"    {line}\n" for line in lines))
    found = stable_form(source, FILE, 3 + len(lines))
    return after(source, found.edits) if found is not None else []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = x * tf.tanh(tf.math.log(1.0 + tf.math.exp(x)))", "y = x * tf.tanh(tf.math.softplus(x))"),
        ("y = 1 - 1.0 / (1.0 + tf.exp(-x))", "y = 1 - tf.sigmoid(x)"),
        ("y = tf.math.log(tf.sigmoid(x - z))", "y = tf.math.log_sigmoid(x - z)"),
        ("y = tf.math.log(1.0 - tf.sigmoid(x))", "y = tf.math.log_sigmoid(-(x))"),
        ("y = -tf.math.log(tf.nn.softmax(x, axis=1))", "y = -tf.nn.log_softmax(x, axis=1)"),
        ("y = tf.math.log(tf.reduce_sum(tf.exp(x), axis=1))", "y = tf.reduce_logsumexp(x, axis=1)"),
        ("y = keras.ops.log(1 + keras.ops.exp(x))", "y = keras.ops.softplus(x)"),
    ],
)
def test_an_expression_gets_the_function_that_computes_the_same(text: str, expected: str) -> None:
    assert rewritten(text) == [expected]


def test_a_softmax_written_out_is_found_from_either_of_its_lines() -> None:
    lines = ("e = tf.exp(x)", "y = e / tf.reduce_sum(e, axis=-1, keepdims=True)")
    assert rewritten(*lines) == ["y = tf.nn.softmax(x, axis=-1)"]
    source = source_of(IMPORTS + "".join(f"    {line}\n" for line in lines))
    found = stable_form(source, FILE, 4)
    assert found is not None
    assert found.function == "tf.nn.softmax"
    assert rewritten("e = tf.exp(x)", "y = e / tf.reduce_sum(tf.exp(z), axis=-1, keepdims=True)") == []


def test_a_name_is_followed_to_its_only_assignment() -> None:
    assert rewritten("p = tf.sigmoid(x)", "y = tf.math.log(p)") == ["y = tf.math.log_sigmoid(x)"]
    assert rewritten("p = tf.sigmoid(x)", "x = z", "y = tf.math.log(p)") == []


@pytest.mark.parametrize(
    "text",
    [
        "y = tf.math.log(2.0 + tf.exp(x))",
        "y = 1.0 / (1.0 + tf.exp(x))",
        "y = 2.0 / (1.0 + tf.exp(-x))",
        "y = tf.math.log(x)",
        "y = tf.exp(x)",
    ],
)
def test_what_is_another_function_is_left_alone(text: str) -> None:
    assert rewritten(text) == []
