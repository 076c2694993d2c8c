"""SHP010: a size that is None while a function is traced."""

from __future__ import annotations

from tests.unit.diagnose.case_of import FILE, case_of
from whydied.diagnose.case import Case
from whydied.diagnose.errors.framework_error import FrameworkError
from whydied.diagnose.errors.ops.stated_shapes import stated_shapes
from whydied.diagnose.rules.shapes.unknown_size import check
from whydied.records import ErrorFacts, ExceptionRaised, Frame, InputWanted, LayerFacts, Party, RaisedException
from whydied.source.edits.edit import edited
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


def _stated(source: str, loss: str = "mse", roles: tuple[str, ...] = ("element",)) -> list[str]:
    """The program with each of the shapes that are tried."""
    parties = [Party(role=role, text="data", type="tensorflow.TensorSpec", shape=None) for role in roles]
    layers = [LayerFacts(name="out", type="Dense", output_shape=[None, 2])]
    wanted = InputWanted(shape=[None, 20, 3])
    facts = ErrorFacts(type="ValueError", call="fit", parties=parties, layers=layers, wanted=wanted, loss=loss)
    link = RaisedException(type="ValueError", module="builtins", message="", frames=[])
    error = FrameworkError(facts, link, {FILE: Source(source)})
    line = next(n for n, text in enumerate(source.splitlines(), 1) if "_function" in text)
    made = Frame(file=FILE, line=line, function="load", user=True)
    return [edited(Source(source), way.edits or []) or "" for way in stated_shapes(error, Source(source), made)]


def test_the_shape_that_the_model_takes_is_stated() -> None:
    line = "    clip = tf.numpy_function(read, [path], tf.float32)\n"
    one, batch = (f"{line}    clip.set_shape({shape})\n" for shape in ("(20, 3)", "(None, 20, 3)"))
    assert _stated(PIPELINE) == [PIPELINE.replace(line, one), PIPELINE.replace(line, batch)]


def test_of_two_results_the_second_is_the_target() -> None:
    source = (
        "import tensorflow as tf\ndef load(path):\n    return tf.py_function(read, [path], [tf.float32, tf.int64])\n"
    )
    found = _stated(source, "sparse_categorical_crossentropy", ("element", "label"))
    assert found[0] == (
        "import tensorflow as tf\ndef load(path):\n"
        "    features, label = tf.py_function(read, [path], [tf.float32, tf.int64])\n"
        "    features.set_shape((20, 3))\n    label.set_shape(())\n    return features, label\n"
    )


def test_a_single_result_in_an_expression_and_results_of_unknown_number() -> None:
    source = "import tensorflow as tf\ndata = rows.map(lambda r: tf.py_function(read, [r], {}))\n"
    call = "tf.py_function(read, [r], tf.float32)"
    assert f"lambda r: tf.ensure_shape({call}, (20, 3))" in _stated(source.format("tf.float32"))[0]
    assert _stated(source.format("[tf.float32] * 3")) == []
    assert _stated(source.format("[tf.float32, tf.float32, tf.float32]")) == []
