"""GRF023: a scope that still reuses when new variables are made."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.graphs.scope_left_reusing import check
from whydied.source.text import Source

MESSAGE = "Variable w/Adam/ does not exist, or was not created with tf.get_variable()."
PROGRAM = """import tensorflow.compat.v1 as tf
def critic(x, again=False):
    if again:
        tf.get_variable_scope().reuse_variables()
    return x * tf.get_variable("w", [])
a, b = critic(1.0), critic(2.0, again=True)
step = tf.train.AdamOptimizer().minimize(a - b)
"""


def _case(source: str = PROGRAM, message: str = MESSAGE) -> Case:
    case = case_of(process=[raised("ValueError", message, number=7)], exit_code=1)
    case.recording.sources[FILE] = Source(source)
    return case


def test_the_line_that_makes_it_reuse_is_told() -> None:
    case = _case()
    found = check(case)
    assert found is not None
    assert found.location is not None
    assert (found.certainty, found.location.line) == ("likely", 4)
    assert "cannot make `w/Adam/`" in found.message
    ended, free = patches_of(case, found)
    assert "+    with tf.variable_scope(tf.get_variable_scope()):" in ended
    assert '+        return x * tf.get_variable("w", [])' in ended
    assert free == [
        "-step = tf.train.AdamOptimizer().minimize(a - b)",
        "+with tf.variable_scope(tf.get_variable_scope(), reuse=tf.AUTO_REUSE):",
        "+    step = tf.train.AdamOptimizer().minimize(a - b)",
    ]


def test_around_a_loop_the_reuse_ends_with_it() -> None:
    source = PROGRAM.replace("    if again:", "    for one in x:").replace("a, b = critic(1.0), ", "b = ")
    case = _case(source)
    assert patches_of(case, check(case))[0] == [
        "-    for one in x:",
        "-        tf.get_variable_scope().reuse_variables()",
        "+    with tf.variable_scope(tf.get_variable_scope()):",
        "+        for one in x:",
        "+            tf.get_variable_scope().reuse_variables()",
    ]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (PROGRAM.replace("if again:", 'with tf.variable_scope("critic"):'), MESSAGE),
        (PROGRAM.replace("tf.get_variable_scope()", "own"), MESSAGE),
        (PROGRAM, "Variable w already exists, disallowed."),
    ],
)
def test_a_scope_that_ends_and_other_errors_are_left_alone(source: str, message: str) -> None:
    assert check(_case(source, message)) is None
