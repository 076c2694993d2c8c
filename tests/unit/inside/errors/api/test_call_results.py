"""What is read of the documentation and the parts of a library's result."""

from __future__ import annotations

import pytest

from whydied.inside.errors.api.call_results import LARGEST_TEXT, documented_result

KERAS = """Trains the model.

Args:
    x: Input data.

Returns:
    A `History` object. Its `History.history` attribute
    is a record of losses.

Raises:
    ValueError: never.
"""
NUMPY = """Split arrays.

Parameters
----------
*arrays : sequence

Returns
-------
splitting : list, length=2 * len(arrays)
    List containing train-test split of inputs.

Examples
--------
>>> split(x)
"""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (KERAS, "A `History` object. Its `History.history` attribute is a record of losses."),
        (NUMPY, "splitting : list, length=2 * len(arrays) List containing train-test split of inputs."),
        ("Does it.\n\nReturns:\n  A number.", "A number."),
        ("Returns what it was given.", ""),
        ("", ""),
    ],
)
def test_what_a_documentation_says_of_the_result(text: str, says: str) -> None:
    assert documented_result(text) == says


def test_a_long_text_ends_with_a_sentence() -> None:
    found = documented_result("Returns:\n" + "  It is so. " * 100)
    assert len(found) <= LARGEST_TEXT
    assert found.endswith("so.")
