"""SHP010: a size that is None while a function is traced."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of
from whydied.diagnose.case import Case
from whydied.diagnose.rules.shapes.unknown_size import check
from whydied.records import ErrorFacts, ExceptionRaised, Frame, Party, RaisedException
from whydied.source.text import Source

SAID = "Failed to convert elements of (None, 1) to Tensor. Consider casting elements to a supported type."


def _case(source: str, line: int, message: str = SAID, shape: list[int | None] | None = None) -> Case:
    frame = Frame(file=FILE, line=line, function="loss", user=True)
    link = RaisedException(type="TypeError", module="builtins", message=message, frames=[frame])
    party = Party(role="operand", text="true", shape=shape or [None, 40])
    facts = ErrorFacts(type="TypeError", place=frame, parties=[party])
    case = case_of(process=[ExceptionRaised(where="main", chain=[link]), facts], exit_code=1)
    case.recording.sources[FILE] = Source(source)
    return case


def test_in_a_reshape_the_size_is_left_open() -> None:
    found = check(_case("import tensorflow as tf\nx = tf.reshape(true, (true.shape[0], 1))\n", 2))
    assert found is not None
    assert (found.certainty, found.message) == (
        "certain",
        "train.py:2: `true.shape[0]` is None: the size of axis 0 of `true` (None, 40) is not known while the function "
        "is traced",
    )
    assert found.advice == ["`-1` in place of `true.shape[0]` leaves it to the reshape."]


def test_a_name_is_followed_to_the_line_that_asks_for_the_size() -> None:
    found = check(_case("import tensorflow as tf\nrows = true.shape[0]\nx = tf.zeros((rows, 1))\n", 3))
    assert found is not None
    assert found.location is not None
    assert found.location.line == 2
    assert found.advice == ["`tf.shape(true)[0]` in place of `true.shape[0]` is the size that the batch will have."]


def test_a_size_that_is_known_is_not_blamed() -> None:
    source = "import tensorflow as tf\nx = tf.reshape(true, (true.shape[1], rows))\n"
    assert check(_case(source, 2)) is None
    assert check(_case(source, 2, "another message")) is None


PIPELINE = """import tensorflow as tf
def load(path):
    clip = tf.numpy_function(read, [path], tf.float32)
    return clip
data = tf.data.Dataset.from_tensor_slices(paths).map(load)
model.fit(data)
"""


def _pipeline(source: str, shape: list[int | None] | None = None, met: list[int | None] | None = None) -> Case:
    frame = Frame(file=FILE, line=6, function="<module>", user=True)
    link = RaisedException(type="ValueError", module="builtins", message="as_list() is not defined", frames=[frame])
    parties = [
        Party(role="input", type="tensorflow.SymbolicTensor", shape=met),
        Party(role="element", text="data", type="tensorflow.TensorSpec", shape=shape),
    ]
    facts = ErrorFacts(type="ValueError", place=frame, parties=parties, call="fit")
    case = case_of(process=[ExceptionRaised(where="main", chain=[link]), facts], exit_code=1)
    case.recording.sources[FILE] = Source(source)
    return case


def test_what_a_python_function_gives_to_a_data_set_has_no_shape() -> None:
    found = check(_pipeline(PIPELINE))
    assert found is not None
    assert found.location is not None
    assert (found.location.line, found.certainty) == (3, "likely")
    assert found.advice == [
        "Say its shape below this line: `clip.set_shape(…)`, with the shape of what `read` returns."
    ]


def test_elements_with_a_shape_and_makers_that_could_be_two_are_left() -> None:
    assert check(_pipeline(PIPELINE, shape=[None, 20, 30])) is None
    assert check(_pipeline(PIPELINE, met=[None, 20, 30])) is None
    assert check(_pipeline(PIPELINE + "other = tf.py_function(read, [path], tf.float32)\n")) is None
    signed = "data = tf.data.Dataset.from_generator(g, output_signature=s)\nmodel.fit(data)\n"
    assert check(_pipeline(signed)) is None
