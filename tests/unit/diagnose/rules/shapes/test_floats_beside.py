"""A number of Python beside a tensor that cannot hold it."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.case import Case
from whydied.diagnose.rules.shapes import (
    dtype_mismatch,
)
from whydied.records import (
    ErrorFacts,
    Frame,
    Party,
)
from whydied.source.text import Source

SCHEDULE = """import tensorflow as tf
class Ramp:
    def __call__(self, step):
        ramp = step / self.steps
        return ramp * (step + 1) ** -0.5
"""
FLOAT_BESIDE = (
    "Expected int64 passed to parameter 'y' of op 'Pow', got -0.5 of type 'float' instead.",
    "Expected int64, but got -0.5 of type 'float'.",
    "Cannot convert -0.5 to EagerTensor of dtype int64",
)


def case(message: str, op: str, dtype: str) -> Case:
    place = Frame(file=FILE, line=5, function="<module>", user=True, end_line=5)
    facts = ErrorFacts(op=op, place=place, parties=[Party(role="operand", text="step", shape=[], dtype=dtype)])
    return case_of(process=[facts, raised("TypeError", message)], exit_code=1)


@pytest.mark.parametrize("message", FLOAT_BESIDE)
def test_a_float_beside_a_tensor_of_whole_numbers(message: str) -> None:
    one = case(message, "Pow", "int64")
    one.sources[FILE] = Source(SCHEDULE)
    finding = dtype_mismatch.check(one)
    assert finding is not None
    assert finding.message == "train.py:5: `step` is int64, and `**` cannot make the float `-0.5` beside it int64, too"
    assert finding.advice == ["`tf.cast(step, tf.float32)` makes both float32."]
    edits = finding.changes[0].edits  # type: ignore[index]
    assert [(edit.start[0], edit.text.strip()) for edit in edits] == [(4, "step = tf.cast(step, tf.float32)")]


@pytest.mark.parametrize(
    "message", ["Expected float32, but got 'a' of type 'str'.", "Cannot convert 3 to EagerTensor of dtype string"]
)
def test_other_values_that_a_tensor_is_beside(message: str) -> None:
    assert dtype_mismatch.check(case(message, "Mul", "float32")) is None
