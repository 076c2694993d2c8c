"""Bounds that let the very value through, and branches of `where` that are not taken."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, after, source_of
from whydied.source.edits.edit import edited
from whydied.source.edits.runs.weak_guards import raised, safe_argument, unused_branch, weak_bound

HEAD = "import tensorflow as tf\ndef loss(x, y):\n"


@pytest.mark.parametrize(
    ("body", "line", "value", "changed"),
    [
        ("    x = tf.maximum(x, 0.0)\n    return tf.pow(x, 0.4)\n", 4, 0.0, "x = tf.maximum(x, 1e-6)"),
        (
            "    return tf.math.log(tf.clip_by_value(x, 0, 1))\n",
            3,
            0.0,
            "return tf.math.log(tf.clip_by_value(x, 1e-6, 1))",
        ),
        (
            "    return tf.acos(tf.clip_by_value(x, -1.0, 1.0))\n",
            3,
            1.0,
            "return tf.acos(tf.clip_by_value(x, -1.0, 1.0 - 1e-6))",
        ),
    ],
)
def test_the_bound_is_moved_inside(body: str, line: int, value: float, changed: str) -> None:
    source = source_of(HEAD + body)
    found = weak_bound(source, line, value)
    assert found is not None
    assert after(source, [raised(source, FILE, found, "1e-6")]) == [changed]


@pytest.mark.parametrize(
    ("body", "divides"),
    [
        ("    x = tf.maximum(x, 1e-6)\n    return tf.pow(x, 0.4)\n", False),
        ("    y = tf.maximum(y, 0.0)\n    return tf.pow(x, 0.4)\n", False),
        ("    y = tf.maximum(y, 0.0)\n    return y / x\n", True),
        ("    n = 2\n    return tf.maximum(y, 0.0) / x\n", True),
    ],
)
def test_other_bounds_are_not_blamed(body: str, divides: bool) -> None:
    assert weak_bound(source_of(HEAD + body), 4, 0.0, divides=divides) is None


def test_the_argument_is_made_safe_before_the_branch() -> None:
    source = source_of(HEAD + "    near = x < 0.1\n    exact = 1.0 / x + y\n    return tf.where(near, y, exact)\n")
    found = unused_branch(source, 4)
    assert found is not None
    assert after(source, safe_argument(source, FILE, 4, found)) == [
        "safe_x = tf.where(near, tf.ones_like(x), x)",
        "exact = 1.0 / safe_x + y",
    ]


def test_the_branch_that_can_fail_is_the_one() -> None:
    source = source_of(HEAD + "    return tf.where(tf.equal(x, 0.0), tf.zeros_like(x), 1.0 / x)\n")
    found = unused_branch(source, 3)
    assert found is not None
    assert not found.used_if
    both = source_of(HEAD + "    return tf.where(x > 1, 1.0 / x, tf.sqrt(x))\n")
    assert unused_branch(both, 3) is None


def test_a_branch_inside_of_where_is_made_safe_in_place() -> None:
    source = source_of(HEAD + "    return tf.where(x > 0, tf.math.log(x), 0.0)\n")
    found = unused_branch(source, 3)
    assert found is not None
    text = edited(source, safe_argument(source, FILE, 3, found))
    assert text is not None
    assert "tf.where(x > 0, tf.math.log(tf.where(x > 0, x, tf.ones_like(x))), 0.0)" in text


@pytest.mark.parametrize(
    "body",
    [
        "    exact = 1.0 / x\n    return tf.where(x > 0, y, x) + exact\n",
        "    exact = 1.0 / x\n    return np.where(x > 0, y, exact)\n",
        "    exact = 1.0 / x\n    return tf.where(exact > 0)\n",
    ],
)
def test_what_no_where_selects(body: str) -> None:
    assert unused_branch(source_of(HEAD + body), 3) is None
