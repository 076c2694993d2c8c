"""Tests for NaN: those after which a program goes on, and those that end it."""

from __future__ import annotations

import ast
import textwrap

import pytest

from whydied.source import nan_tests


@pytest.mark.parametrize(
    ("code", "goes_on", "ends"),
    [
        ("if np.isnan(loss):\n    loss = 0.0", True, False),
        ("if np.isnan(loss):\n    raise ValueError(loss)", False, True),
        ("if np.isfinite(loss):\n    use(loss)\nelse:\n    sys.exit(1)", False, True),
        ("bad = np.isnan(loss)\nif bad:\n    raise ValueError", False, True),
        ("assert np.isfinite(loss)", False, True),
        ("tf.debugging.check_numerics(loss, 'loss')", False, True),
        ("if np.isnan(loss):\n    raise ValueError\nx = np.nan_to_num(loss)", True, True),
        ("print(loss)", False, False),
    ],
)
def test_a_test_that_ends_the_program_expects_no_nan(code: str, goes_on: bool, ends: bool) -> None:
    tree = ast.parse("def step(loss):\n" + textwrap.indent(code, "    "))
    assert (nan_tests.tests_for_nan(tree, 2), nan_tests.ends_on_nan(tree, 2)) == (goes_on, ends)
