"""GPU006: an op of a v1 graph that a `tf.device` block put on a GPU which is not there."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from tests.unit.diagnose.patches_of import patches_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.gpu import device_not_found
from whydied.records import Frame, SessionFacts
from whydied.source.text import Source

PROGRAM = """with tf.device("/gpu:0"):
    low = tf.reduce_min(values)
with tf.Session(graph=graph) as sess:
    sess.run(low)
"""
MESSAGE = (
    f"Detected at node 'Min' defined at (most recent call last):\n    File \"{FILE}\", line 2, in <module>\n"
    "Cannot assign a device for operation Min: {{node Min}} was explicitly assigned to /device:GPU:0 but available "
    "devices are [ /job:localhost/replica:0/task:0/device:CPU:0 ]."
)


def _case(source: str = PROGRAM, message: str = MESSAGE) -> Case:
    opened = Frame(file=FILE, line=3, function="<module>", user=True)
    facts = SessionFacts(session="sess", opened=opened)
    case = case_of(exit_code=1, process=[raised("InvalidArgumentError", message, number=4), facts])
    case.recording.sources = {FILE: Source(source)}
    return case


def test_the_block_is_told_and_the_session_may_choose() -> None:
    case = _case()
    found = device_not_found.check(case)
    assert found is not None
    assert found.location is not None
    assert found.location.line == 1
    assert found.message.startswith("train.py:1: `tf.device('/gpu:0')` places what is made below it on a GPU")
    assert patches_of(case, found) == [
        [
            "-with tf.Session(graph=graph) as sess:",
            "+with tf.Session(graph=graph, config=tf.ConfigProto(allow_soft_placement=True)) as sess:",
        ]
    ]


@pytest.mark.parametrize("session", ["tf.Session(config=settings)", "Session()", "tf.Session(**options)"])
def test_a_session_with_a_configuration_of_its_own_has_no_patch(session: str) -> None:
    found = device_not_found.check(_case(PROGRAM.replace("tf.Session(graph=graph)", session)))
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.changes) == (1, [])


def test_an_op_that_no_block_placed_is_told_where_it_failed() -> None:
    found = device_not_found.check(_case(PROGRAM.replace('tf.device("/gpu:0")', "tf.name_scope('a')")))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 4


def test_another_error_on_a_device_is_not_told() -> None:
    assert device_not_found.check(_case(message=MESSAGE.replace("was explicitly assigned", "failed, assigned"))) is None
