"""Rules about old code, saving and weights, on hand-built records: exact words, and near misses."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.case import Case
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.environment import api_removed, argument_renamed
from whydied.diagnose.rules.framework import save_failed
from whydied.diagnose.rules.shapes import weights_mismatch
from whydied.records import ApiMissed, ClassSeen, Frame, Record, SavedWeight, WeightsCompared
from whydied.source.text import Source


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
    assert found.advice[0].startswith("To run a whole TensorFlow 1 program as it is, use `import tensorflow.compat.v1")
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


@pytest.mark.parametrize(
    "text",
    [
        "Learning rate schedule 'Slow' must override `get_config()` in order to be serializable.",
        "<__main__.Slow object at 0x7f2e> does not implement get_config()",
    ],
)
def test_what_has_a_parent_without_configuration_tells_all_arguments(text: str) -> None:
    seen = ClassSeen(name="Slow", kind="class", file=FILE, line=1, methods={"__init__": 2}, parameters=["rate", "name"])
    case = _died("NotImplementedError", text, seen)
    case.recording.sources[FILE] = Source(
        "class Slow(Schedule):\n    def __init__(self, rate, name):\n        self.rate, self.b = rate, 1\n"
    )
    found = save_failed.check(case)
    assert found is not None
    assert found.advice == [
        'Give Slow a method: `def get_config(self): return {"rate": self.rate, "name": self.name}`.'
    ]
    assert found.location is not None
    assert found.location.line == 2


@pytest.mark.parametrize(("last", "titles"), [("print(1)", 2), ("keras.models.load_model('net')", 1)])
def test_a_model_that_the_program_loads_again_is_not_exported(last: str, titles: int) -> None:
    text = "Invalid filepath extension for saving. Please add either a `.keras` extension. Received: filepath=net."
    case = _died("ValueError", text)
    case.recording.sources[FILE] = Source(f"import keras\n\n\n\nmodel.save('net')\n{last}\n")
    found = save_failed.check(case)
    assert found is not None
    assert len(found.changes) == titles


def test_other_errors_are_left_alone() -> None:
    case = _died("ValueError", "Received: filepath=w.ckpt")
    for rule in (api_removed, argument_renamed, save_failed, weights_mismatch):
        assert rule.check(case) is None


def _narrower(text: str, line: int, *layers: SavedWeight, expected: list[int], received: list[int]) -> Finding:
    """What is said of a file of the program whose line makes a layer that does not fit."""
    compared = WeightsCompared(
        link=0,
        layer="first",
        weight="kernel",
        expected=expected,
        received=received,
        frame=Frame(file="/home/ann/model.py", line=line, function="build", user=True),
        path="net.weights.h5",
        layers=list(layers),
    )
    case = _died("ValueError", "shapes", compared)
    case.sources["/home/ann/model.py"] = Source(text)
    case.sources["/home/ann/config.py"] = Source(
        "class Config:\n    CLASSES = 81\n\nclass Rocks(Config):\n    CLASSES = 5\n"
    )
    found = weights_mismatch.check(case)
    assert found is not None
    return found


def test_the_setting_of_another_file_that_gave_a_layer_its_width() -> None:
    text = "def build(config):\n    return Dense(config.CLASSES)\n"
    found = _narrower(text, 2, expected=[32, 81], received=[32, 5])
    assert found.message.startswith("config.py:2: `CLASSES` is 81, so layer first has a kernel of shape (32, 81)")
    assert ("`CLASSES`", "5, set at /home/ann/config.py:5") in [(one.fact, one.value) for one in found.evidence]


def test_the_setting_that_gave_an_input_its_width() -> None:
    text = "CHANNELS = 1\n\ndef build():\n    x = Input((32, 32, CHANNELS))\n    return Conv2D(8, 3)(x)\n"
    first = SavedWeight(layer="first", shapes=[[3, 3, 1, 8]])
    found = _narrower(text, 5, first, expected=[3, 3, 1, 8], received=[3, 3, 3, 8])
    assert found.location is not None
    assert (found.location.file, found.location.line) == ("/home/ann/model.py", 1)


def test_a_width_that_one_call_passes_leaves_the_line_at_the_layer() -> None:
    text = "def build(width):\n    return Dense(width)\n\nbuild(10)\nbuild(20)\n"
    found = _narrower(text, 2, expected=[4, 20], received=[4, 10])
    assert found.message.startswith("model.py:2: layer first has a kernel of shape (4, 20)")
    told = [(one.fact, one.value) for one in found.evidence]
    assert ("`width`", "20, set at /home/ann/model.py:5") in told
    assert ("`width`", "10, set at /home/ann/model.py:4") in told
