"""Choices of Python on tensors that have no value yet, as operations of the graph."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, after, source_of, whole
from whydied.source.edits.runs.graph_choices import graph_choices

HEAD = "import tensorflow as tf\n\ndef metric(t, p):\n"
TENSORS: dict[str, str | None] = {"t": "float32", "p": "float32", "ok": "bool", "n": "int32"}


def _first(statement: str, tensors: dict[str, str | None] | None = None) -> list[str]:
    """The lines that the first way changes; empty where there is none."""
    source = source_of(f"{HEAD}    {statement}\n")
    ways = graph_choices(source, FILE, 4, TENSORS if tensors is None else tensors)
    return after(source, ways[0].edits) if ways else []


@pytest.mark.parametrize(
    ("before", "changed"),
    [
        ("return t / p if p > 1 else p", "return tf.where(p > 1, t / p, p)"),
        ("return t / p if p != 0 else 0.0", "return tf.math.divide_no_nan(t, p)"),
        ("return t / p if p else 0", "return tf.math.divide_no_nan(t, p)"),
        ("return 2 * (t if p else 1)", "return 2 * tf.where(p != 0, t, 1)"),
        ("return 0 if p > 1 else t", "return tf.where(p > 1, 0.0, t)"),
        ("return abs(t if ok and p > 1 else p)", "return abs(tf.where(tf.logical_and(ok, p > 1), t, p))"),
        ("return 1.0 if t > 1 else (2.0 if t > 0 else t)", "return tf.where(t > 1, 1.0, tf.where(t > 0, 2.0, t))"),
        ("return 1 if t in (1, 2) else 0", "return tf.where(tf.reduce_any(tf.equal(t, (1, 2))), 1, 0)"),
        ("return t > 0 and p > 0 and ok", "return tf.logical_and(tf.logical_and(t > 0, p > 0), ok)"),
        ("return flag or ok or p > 0", "return flag or tf.logical_or(ok, p > 0)"),
        ("return not ok", "return tf.logical_not(ok)"),
        ("return 0 < t < 1", "return tf.logical_and(0 < t, t < 1)"),
        ("return max(0.0, t - p)", "return tf.maximum(0.0, t - p)"),
        ("return float(t)", "return t"),
        ("return float(t + p) * 2", "return (t + p) * 2"),
        ("return float(t.numpy())", "return t"),
        ("return float(n)", "return tf.cast(n, tf.float32)"),
        ("return int(t) + 1", "return tf.cast(t, tf.int32) + 1"),
        ("f = lambda t, p: t if t > p else p", "f = lambda t, p: tf.where(t > p, t, p)"),
    ],
)
def test_what_asks_a_tensor_becomes_an_operation(before: str, changed: str) -> None:
    assert _first(before) == [changed]


@pytest.mark.parametrize(
    "statement",
    [
        "return t if p is None else p",
        "return t if p.shape[0] > 1 else p",
        "return t if len(p) else p",
        "return None if t > 0 else p",
        "return training and t > 0",
        "return max(t)",
        "return float(rate) * t",
    ],
)
def test_what_asks_no_tensor_is_left_alone(statement: str) -> None:
    ways = graph_choices(source_of(f"{HEAD}    {statement}\n"), FILE, 4, TENSORS)
    assert ways == []


def test_without_knowing_the_tensors_only_one_choice_is_written_anew() -> None:
    assert _first("return t if p > 0 else p", {}) == ["return tf.where(p > 0, t, p)"]
    assert _first("return (t if p > 0 else p, t if t > 0 else p)", {}) == ["@tf.function"]


METHOD = """
    from tensorflow import function, where

    class Loss:
        @staticmethod
        @named
        def plain(t):
            if {test}:
                return t
            return -t
"""


@pytest.mark.parametrize(
    ("test", "changed"),
    [
        ("t > 0 and not ok", ["@function"]),
        ("t", ["@function", "if t != 0:"]),
        ("ok or 0 < t < 1", ["import tensorflow as tf", "@function", "if ok or tf.logical_and(0 < t, t < 1):"]),
    ],
)
def test_a_function_that_asks_in_a_statement_is_decorated(test: str, changed: list[str]) -> None:
    source = source_of(METHOD.format(test=test))
    ways = graph_choices(source, FILE, 7, TENSORS)
    assert len(ways) == 1
    assert after(source, ways[0].edits) == changed
    assert "    @staticmethod\n    @function\n    @named\n    def plain" in (whole(source, ways[0].edits) or "")
    assert ways[0].advice == "Decorate `plain` with `@function`, which turns its `if` into an operation of the graph."


@pytest.mark.parametrize(
    "text",
    [
        "@tf.function\ndef f(t):\n    if t > 0:\n        return t\n",
        "@tf.function(jit_compile=True)\ndef f(t):\n    if t > 0:\n        return t\n",
        "\ndef f(t):\n    if t > 0:\n        yield t\n",
        "\nasync def f(t):\n    if t > 0:\n        return t\n",
        "\n\nif t > 0:\n    print(t)\n",
    ],
)
def test_what_cannot_be_traced_is_not_decorated(text: str) -> None:
    assert graph_choices(source_of(text), FILE, 3, TENSORS) == []


def test_keras_tensors_have_operations_of_their_own() -> None:
    source = source_of("import keras\nx = keras.Input((3,))\ny = x if x > 0 else -x\n")
    ways = graph_choices(source, FILE, 3, {"x": "float32"}, "keras.ops")
    assert [after(source, one.edits) for one in ways] == [["y = keras.ops.where(x > 0, x, -x)"]]


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        (
            "if ok:\n        loss = t\n    else:\n        loss = wide(p, 3)",
            "loss = tf.cond(ok, lambda: t, lambda: wide(p, 3))",
        ),
        ("if t > 1:\n        return t\n    else:\n        return p", "return tf.cond(t > 1, lambda: t, lambda: p)"),
        ("if ok:\n        loss = t\n    else:\n        other = p", ""),
        ("if ok:\n        loss = t", ""),
        ("if ok:\n        loss = t\n        n = 1\n    else:\n        loss = p", ""),
    ],
)
def test_two_branches_that_give_one_value(body: str, changed: str) -> None:
    source = source_of(f"{HEAD}    {body}\n")
    ways = [one for one in graph_choices(source, FILE, 4, TENSORS) if "cond" in one.title]
    assert [after(source, one.edits) for one in ways] == ([[changed]] if changed else [])
