"""Edits of statements whose tensors have no values, or are fewer than expected."""

from __future__ import annotations

import pytest

from whydied.source.edits.edit import edited
from whydied.source.edits.programs.tensor_edits import as_tensors, unpacked
from whydied.source.text import Source

FILE = "train.py"


@pytest.mark.parametrize(
    ("used", "new"),
    [("context", "    context = attend(a, b)"), ("context + scores", None)],
)
def test_one_tensor_that_is_unpacked_into_several_names(used: str, new: str | None) -> None:
    source = Source(f"scores = 3\ndef f(a, b):\n    context, scores = attend(a, b)\n    return {used}\nprint(scores)\n")
    found = unpacked(source, FILE, 3)
    assert found is not None
    assert (found.call, found.first, found.names) == ("attend(a, b)", "context", 2)
    text = edited(source, found.edits)
    assert (text.splitlines()[2] if found.edits and text else None) == new


def test_a_plain_assignment_unpacks_nothing() -> None:
    assert unpacked(Source("context = attend(a, b)\n"), FILE, 1) is None
    assert unpacked(Source("context, scores = pair\n"), FILE, 1) is None


def test_functions_of_numpy_become_operations() -> None:
    source = Source("import numpy as np\nimport tensorflow as tf\nhit = np.multiply(a, np.clip(b, 0, 1))\n")
    text = edited(source, as_tensors(source, FILE, 3))
    assert text is not None
    assert text.splitlines()[2] == "hit = tf.multiply(a, tf.clip_by_value(b, 0, 1))"


def test_a_function_without_a_counterpart_is_left_alone() -> None:
    source = Source("import numpy as np\nimport tensorflow as tf\nhit = np.interp(a, b, c)\n")
    assert as_tensors(source, FILE, 3) == []
