"""Functions that give nothing back."""

from __future__ import annotations

import pytest

from whydied.source.results import NoResult, functions_without_result, is_taken_apart
from whydied.source.text import Source


@pytest.mark.parametrize(
    ("body", "gives"),
    [
        ("return tf.reduce_mean(a)", True),
        ("if a:\n        return 1", True),
        ("tf.reduce_mean(a)", False),
        ("return", False),
        ("def inner():\n        return 1", False),
        ("yield a", True),
    ],
)
def test_whether_a_loss_function_gives_something(body: str, gives: bool) -> None:
    found = functions_without_result({"a.py": Source(f"def loss(a, b):\n    {body}\n")})
    assert ("loss" in [one.name for one in found]) is not gives


def test_a_method_is_told_with_its_class_and_the_expression_that_it_ends_in() -> None:
    text = "class Scale(Layer):\n    def call(self, x):\n        y = x\n        y * 2\n"
    assert functions_without_result({"a.py": Source(text)}) == [NoResult("a.py", 2, "call", "Scale", 4)]


def test_a_statement_that_takes_a_result_apart() -> None:
    source = Source("a, b = weigh(y)\nc = weigh(y)\n")
    assert is_taken_apart(source, 1, "weigh(y)")
    assert not is_taken_apart(source, 2, "weigh(y)")
    assert not is_taken_apart(None, 1, "weigh(y)")
