"""Guards of ops: what is written around which expression, and what is left alone."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, after, source_of
from whydied.source.edits.runs.op_guards import guarded, guarded_count, guarded_numpy

IMPORTS = "import numpy as np\nimport keras\nimport tensorflow as tf\n"


def guard(text: str, op: str, *, backward: bool = False) -> list[str]:
    source = source_of(IMPORTS + text + "\n")
    found = guarded(source, FILE, 4, op, backward=backward)
    return after(source, found.edits) if found is not None else []


@pytest.mark.parametrize(
    ("text", "op", "expected"),
    [
        ("y = tf.math.log(p)", "Log", "y = tf.math.log(tf.maximum(p, 1e-7))"),
        ("y = keras.ops.log(p)", "Log", "y = keras.ops.log(keras.ops.maximum(p, 1e-7))"),
        ("y = tf.sqrt(v)", "Sqrt", "y = tf.sqrt(tf.maximum(v, 1e-12))"),
        ("y = tf.exp(x @ w)", "Exp", "y = tf.exp(tf.minimum(x @ w, 80.0))"),
        ("y = tf.acos(c)", "Acos", "y = tf.acos(tf.clip_by_value(c, -1 + 1e-6, 1 - 1e-6))"),
        ("y = a / (b - c)", "RealDiv", "y = tf.math.divide_no_nan(a, b - c)"),
        ("y = 1 / b", "RealDiv", "y = tf.math.divide_no_nan(1.0, b)"),
        ("y = keras.ops.sum(a) / b", "RealDiv", "y = keras.ops.divide_no_nan(keras.ops.sum(a), b)"),
        ("y = x ** 0.5", "Pow", "y = tf.maximum(x, 1e-7) ** 0.5"),
        ("y = a * tf.math.log(p) + b * tf.math.log(1 - p)", "Log", None),
    ],
)
def test_the_argument_of_an_op_is_kept_in_its_domain(text: str, op: str, expected: str | None) -> None:
    both = "y = a * tf.math.log(tf.maximum(p, 1e-7)) + b * tf.math.log(tf.maximum(1 - p, 1e-7))"
    assert guard(text, op) == [expected or both]


def test_a_derivative_is_guarded_at_the_expression_of_the_forward_pass() -> None:
    assert guard("d = tf.sqrt(s)", "SqrtGrad", backward=True) == ["d = tf.sqrt(tf.maximum(s, 1e-12))"]
    norm = guard("d = tf.norm(a - b, axis=1)", "SqrtGrad", backward=True)
    assert norm == ["d = tf.sqrt(tf.reduce_sum(tf.square(a - b), axis=1) + 1e-12)"]
    assert guard("d = tf.norm(a, ord=1)", "SqrtGrad", backward=True) == []
    assert guard("y = tf.math.log(p)", "Reciprocal", backward=True) == ["y = tf.math.log(tf.maximum(p, 1e-7))"]


@pytest.mark.parametrize(
    ("text", "op"),
    [
        ("y = tf.math.log(p + 1e-6)", "Log"),
        ("y = tf.math.log(tf.clip_by_value(p, 1e-6, 1.0))", "Log"),
        ("y = a / (b + self.epsilon)", "RealDiv"),
        ("y = a / 2.0", "RealDiv"),
        ("y = score(batch)", "Log"),
        ("y = log(p)", "Log"),
        ("y = tf.square(x)", "Square"),
    ],
)
def test_what_is_guarded_or_is_not_there_is_left_alone(text: str, op: str) -> None:
    assert guard(text, op) == []


def test_a_number_alone_is_not_handed_to_a_function_that_would_make_another_type_of_it() -> None:
    source = source_of(IMPORTS + "y = 1.0 / b\nz = a / b\n")
    guards = [guarded(source, FILE, line, "RealDiv", dtype="float64") for line in (4, 5)]
    assert [after(source, one.edits) for one in guards if one is not None] == [
        ["y = 1.0 / (b + 1e-8)"],
        ["z = tf.math.divide_no_nan(a, b)"],
    ]


def test_a_part_of_an_array_as_divisor_is_kept_away_from_zero() -> None:
    source = source_of(IMPORTS + "y = window / window[0] - 1\n")
    found = guarded_numpy(source, FILE, 4, "divide")
    assert found is not None
    assert after(source, found.edits) == ["y = window / np.where(window[0] == 0, 1, window[0]) - 1"]


def test_a_division_of_numpy_gets_another_divisor() -> None:
    source = source_of(IMPORTS + "x = rows / highest\nvalues /= np.std(values)\ny = np.log(counts)\n")
    patched = {
        line: after(source, found.edits)
        for line, op in ((4, "divide"), (5, "divide"), (6, "log"))
        if (found := guarded_numpy(source, FILE, line, op)) is not None
    }
    assert patched == {
        4: ["x = rows / np.where(highest == 0, 1, highest)"],
        5: ["values /= np.std(values) + 1e-8"],
        6: ["y = np.log(np.maximum(counts, 1e-7))"],
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = tf.acos(c)", "y = tf.acos(tf.clip_by_value(c, -1 + 1e-6, 1 - 1e-6))"),
        ("y = tf.acos(tf.clip_by_value(c, -1.0, 1.0))", "y = tf.acos(tf.clip_by_value(c, -1 + 1e-6, 1 - 1e-6))"),
    ],
)
def test_the_derivative_of_an_arc_cosine_needs_an_argument_inside_of_its_domain(text: str, expected: str) -> None:
    assert guard(text, "Reciprocal", backward=True) == [expected]


def test_a_function_of_numbers_is_not_guarded() -> None:
    assert guard("y = tf.math.log(x) / tf.math.log(10.0)", "RealDiv") == []
    assert guard("y = tf.math.log(x) / tf.math.log(10.0)", "Log") == [
        "y = tf.math.log(tf.maximum(x, 1e-7)) / tf.math.log(10.0)"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("r = b * tf.math.rsqrt(s - w)", "r = b * tf.math.rsqrt(tf.maximum(s - w, 1.0))"),
        ("r = b / s", "r = b / tf.maximum(s, 1.0)"),
        ("r = b / 10.0", None),
    ],
)
def test_a_number_of_steps_is_kept_at_one_or_above(text: str, expected: str | None) -> None:
    source = source_of(IMPORTS + text + "\n")
    found = guarded_count(source, FILE, 4)
    assert (after(source, found.edits) if found is not None else []) == ([expected] if expected else [])
