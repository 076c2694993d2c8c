"""Variables of a session that are set without a new op."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, after, source_of
from whydied.source.edits.runs.variable_loads import loaded

SET = """
import tensorflow.compat.v1 as tf
rate = tf.Variable(0.1)
other = tf.constant(0.2)
for step in range(9):
    STATEMENT
"""


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("sess.run(tf.assign(rate, 0.1 * step))", "rate.load(0.1 * step, sess)"),
        ("self.sess.run(self.w.assign(w))", "self.w.load(w, self.sess)"),
        ("sess.run(rate.assign(values[0]))", "rate.load(values[0], sess)"),
    ],
)
def test_a_value_of_the_programs_own_is_loaded(statement: str, line: str) -> None:
    source = source_of(SET.replace("STATEMENT", statement))
    assert after(source, loaded(source, FILE, [5], "tf")) == [line]


@pytest.mark.parametrize(
    "statement",
    [
        "sess.run(rate.assign(rate * 0.5))",
        "sess.run(rate.assign(other))",
        "sess.run(rate.assign(tf.square(step)))",
        "sess.run(rate.assign(x), {y: 1})",
        "value = sess.run(rate.assign(x))",
        "sess.run(rate)",
        "x = rate + 1",
    ],
)
def test_tensors_and_other_runs_are_left_alone(statement: str) -> None:
    source = source_of(SET.replace("STATEMENT", statement))
    assert loaded(source, FILE, [5], "tf") == []
