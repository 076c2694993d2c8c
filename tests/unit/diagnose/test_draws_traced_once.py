"""DAT072: draws of Python in a function that is traced, where a check of the program fails over what came of it."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.inputs.draws_traced_once import check
from whydied.source.edits.edit import edited
from whydied.source.text import Source

MAPPED = """import random
import numpy as np
import tensorflow as tf

def turned(one):
    angle = np.random.normal(0, 2.0, size=(3,)).astype("float32")
    return one * angle + random.randint(0, 4)

def main():
    rows = tf.data.Dataset.from_tensor_slices(x).map(lambda one: turned(one)).batch(2)
    first = np.concatenate([one.numpy() for one in rows])
    again = np.concatenate([one.numpy() for one in rows])
    assert np.abs(first - again).max() > 0  # here
"""
STEPPED = """import numpy as np
import tensorflow as tf

RNG = np.random.default_rng(3)

@tf.function
def noisy(x):
    return x + RNG.uniform(-1, 1)

one, other = noisy(2.0), noisy(2.0)
if float(one) == float(other):
    raise ValueError("no noise")  # here
"""


def _check(source: str, kind: str = "AssertionError") -> tuple[Finding | None, str]:
    number = next(at for at, line in enumerate(source.splitlines(), 1) if "# here" in line)
    case = case_of(exit_code=1, process=[raised(kind, "", number=number)])
    text = Source(source)
    case.recording.sources[FILE] = case.recording.project[FILE] = text
    found = check(case)
    changes = found.changes if found is not None and isinstance(found.changes, list) else []
    return found, (edited(text, changes[0].edits) or "") if changes else ""


def test_draws_in_a_function_of_a_map() -> None:
    found, text = _check(MAPPED)
    assert found is not None
    assert found.location is not None
    assert (found.certainty, found.location.line) == ("likely", 6)
    assert "(and 1 more draw) is drawn once, while `map` on line 10 of train.py traces the lambda" in found.message
    assert "angle = tf.random.normal((3,), 0, 2.0)\n" in text
    assert "+ tf.random.uniform([], 0, 4 + 1, dtype=tf.int32)" in text


def test_draws_in_a_traced_function() -> None:
    found, text = _check(STEPPED, "ValueError")
    assert found is not None
    assert (
        "`RNG.uniform(-1, 1)` is drawn once, while `tf.function` on line 6 of train.py traces `noisy`" in found.message
    )
    assert "return x + tf.random.uniform([], -1, 1)" in text


@pytest.mark.parametrize(
    "source",
    [
        MAPPED.replace("lambda one: turned(one)", "lambda one: tf.numpy_function(turned, [one], tf.float32)"),
        MAPPED.replace("tf.data.Dataset.from_tensor_slices(x)", "frame"),
        MAPPED.replace("np.abs(first - again).max() > 0", "len(other) == 2"),
        MAPPED.replace("    assert np.abs(first - again).max() > 0", "    np.abs(first - again).check()"),
        STEPPED.replace("@tf.function\n", ""),
        STEPPED.replace("RNG = np.random.default_rng(3)", "RNG = tf.random.Generator.from_seed(3)"),
    ],
)
def test_what_is_not_told(source: str) -> None:
    assert _check(source)[0] is None


def test_a_draw_without_an_op_is_told_without_a_change() -> None:
    found, text = _check(STEPPED.replace("uniform(-1, 1)", "choice([1, 2])"), "ValueError")
    assert found is not None
    assert text == ""
