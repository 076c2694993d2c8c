"""Rules about old code, saving and weights, on hand-built records: exact words, and near misses."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.case import Case
from whydied.diagnose.rules.environment import api_removed, argument_renamed
from whydied.diagnose.rules.framework import save_failed
from whydied.diagnose.rules.shapes import weights_mismatch
from whydied.records import ApiMissed, Frame, Record, WeightsCompared


def _died(kind: str, message: str, *facts: Record) -> Case:
    return case_of(process=[raised(kind, message), *facts], exit_code=1)


def test_an_old_name_is_told_with_the_new_one() -> None:
    missed = ApiMissed(
        link=0,
        kind="name",
        old="tf.Session",
        written="tf.Session",
        library="tensorflow",
        version="2.21.0",
        new=["tf.compat.v1.Session"],
        known_from="tf.compat.v1",
        change="session = tf.compat.v1.Session()",
    )
    case = _died("AttributeError", "module 'tensorflow' has no attribute 'Session'", missed)
    found = api_removed.check(case)
    assert found is not None
    assert found.message == "train.py:5: tf.Session is not in TensorFlow 2.21.0; it is tf.compat.v1.Session now"
    assert found.advice[0] == "Write `session = tf.compat.v1.Session()`."
    assert argument_renamed.check(case) is None


def test_an_old_argument_is_told_with_the_new_one() -> None:
    missed = ApiMissed(
        link=0,
        kind="argument",
        old="lr",
        library="keras",
        version="3.15.1",
        new=["learning_rate"],
        known_from="a table",
        callee="Adam",
        change="Adam(learning_rate=0.1)",
    )
    case = _died("ValueError", "Argument(s) not recognized: {'lr': 0.1}", missed)
    found = argument_renamed.check(case)
    assert found is not None
    assert found.message == "train.py:5: Adam takes no argument lr in Keras 3.15.1; it is learning_rate now"
    assert found.advice == ["Write `Adam(learning_rate=0.1)`."]
    assert api_removed.check(case) is None


def test_weights_are_told_with_both_shapes() -> None:
    compared = WeightsCompared(
        link=0,
        layer="hidden",
        weight="kernel",
        expected=[4, 20],
        received=[4, 10],
        frame=Frame(file=FILE, line=3, function="<module>", user=True),
        path="net.weights.h5",
        model="model",
    )
    found = weights_mismatch.check(_died("ValueError", "shapes", compared))
    assert found is not None
    assert found.message == (
        "train.py:3: layer hidden has a kernel of shape (4, 20), but the weights from net.weights.h5 loaded at "
        "train.py:5 have (4, 10)"
    )
    assert found.advice[0] == "Make hidden 10 wide instead of 20, as it was when saved."


def test_a_wrong_ending_is_told_with_the_right_one() -> None:
    found = save_failed.check(_died("ValueError", "The filename must end in `.weights.h5`. Received: filepath=w.ckpt"))
    assert found is not None
    assert found.culprit is not None
    assert found.culprit.near == ["w.weights.h5"]


def test_other_errors_are_left_alone() -> None:
    case = _died("ValueError", "Received: filepath=w.ckpt")
    for rule in (api_removed, argument_renamed, save_failed, weights_mismatch):
        assert rule.check(case) is None
