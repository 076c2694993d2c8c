"""FRM005: what a call was given against what its documentation takes."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.diagnose.case_of import FILE, case_of, raised
from whydied.diagnose.finding import Finding
from whydied.diagnose.rules.framework import wrong_argument
from whydied.records import ApiCalled, Argument, Frame, ValueSource
from whydied.source.text import Source

UNITS = "Positive integer, dimensionality of the output space."
PLACE = Frame(file=FILE, line=6, function="build", user=True)


def _check(message: str, called: str, *arguments: Argument, kind: str = "ValueError") -> Finding | None:
    call = ApiCalled(link=0, callee=called, function=called, arguments=list(arguments), frame=PLACE)
    return wrong_argument.check(case_of(exit_code=1, process=[call, raised(kind, message)]))


def test_a_float_for_an_integer_is_told_with_the_integer_division() -> None:
    units = Argument(parameter="units", text="width / 2", position=0, type="float", value="32.0", says=UNITS)
    found = _check("Received an invalid value for `units`. Received: units=32.0", "Dense", units)
    assert found is not None
    assert "`Dense` was given `units=width / 2` (32.0, a float), but `units` takes an integer" in found.message
    assert found.advice == ["Write `width // 2` instead of `width / 2`."]
    assert found.certainty == "likely"
    assert found.location is not None
    assert found.location.line == 6


def test_the_line_that_made_the_value_is_the_place() -> None:
    made = ValueSource(
        kind="parameter", name="epochs", text="total / 2", frame=Frame(file=FILE, line=2, function="main", user=True)
    )
    epochs = Argument(
        parameter="epochs", text="epochs", type="float", value="2.0", says="Integer. Number of epochs.", sources=[made]
    )
    found = _check("'float' object cannot be interpreted as an integer", "model.fit", epochs, kind="TypeError")
    assert found is not None
    assert found.location is not None
    assert found.location.line == 2
    assert found.advice == ["Write `total // 2` instead of `total / 2` on line 2 of train.py."]


def test_arguments_in_the_order_of_an_older_version() -> None:
    axis = Argument(parameter="values", text="3", position=0, type="int", value="3", says="A list of `Tensor` objects.")
    values = Argument(
        parameter="axis",
        text="pooled",
        position=1,
        type="list",
        held=["tensorflow.SymbolicTensor"],
        says="0-D `int32` `Tensor`.  Dimension along which to concatenate.",
    )
    found = _check("Shape (3, ?, 1, 1, 6) must have rank 0", "tf.concat", axis, values)
    assert found is not None
    assert found.advice == ["Write `tf.concat(pooled, 3)`."]


def test_a_list_of_labels_is_not_an_array() -> None:
    says = "Target data. Like the input data `x`, it can be either NumPy array(s) or tensors."
    x = Argument(parameter="x", text="x", type="numpy.ndarray", shape=[4, 3], says="Input data. It can be:")
    y = Argument(parameter="y", text="labels", type="list", length=4, held=["int"], says=says)
    found = _check("Unrecognized data type: x=[...] (of type <class 'numpy.ndarray'>)", "model.fit", x, y)
    assert found is not None
    assert found.advice == ["Write `np.array(labels)` instead of `labels`."]


def test_a_part_of_what_a_function_returns_is_told_at_its_return() -> None:
    says = "Target data. Like the input data `x`, it can be either NumPy array(s) or tensors."
    made = ValueSource(kind="variable", name="data", text="load(3)", frame=PLACE)
    y = Argument(parameter="y", text="data[1]", type="list", length=4, held=["int"], says=says, sources=[made])
    call = ApiCalled(link=0, callee="model.fit", function="fit", arguments=[y], frame=PLACE)
    case = case_of(exit_code=1, process=[call, raised("ValueError", "Unrecognized data type: x=[...]")])
    case.recording.sources[FILE] = Source("def load(n):\n    y = list(range(n))\n    return rows(n), y\n")
    found = wrong_argument.check(case)
    assert found is not None
    assert found.advice == ["Write `np.array(y)` instead of `y` on line 3 of train.py."]


def test_a_value_that_the_documentation_lists_is_taken() -> None:
    says = '`"auto"`, 0, 1, or 2. Verbosity mode.'
    verbose = Argument(parameter="verbose", text="0", type="int", value="0", says=says, default="'auto'")
    assert _check("Unrecognized data type: x=[...]", "model.fit", verbose) is None


def test_an_operation_where_the_default_is_a_string() -> None:
    target = Argument(
        parameter="target",
        text="init",
        position=0,
        type="tensorflow.python.framework.ops.Operation",
        says="(Optional.) The execution engine to connect to.",
        default="''",
    )
    found = _check('Argument `target` must be a string, but got "Operation"', "tf.Session", target, kind="TypeError")
    assert found is not None
    assert "(Operation), but `target` takes a string" in found.message
    assert found.advice == ["Leave `init` out: by position it is `target` of `tf.Session`."]


def test_an_exception_about_something_else_is_not_explained() -> None:
    units = Argument(parameter="units", text="w", position=0, type="int", value="32", says=UNITS)
    rate = Argument(parameter="rate", text="r", position=1, type="float", value="0.5", says="Integer. Seed.")
    assert _check("Dimensions must be equal, but are 3 and 4", "Dense", units, rate) is None


def test_what_is_as_documented_is_not_told() -> None:
    units = Argument(parameter="units", text="w", position=0, type="int", value="32", says=UNITS)
    assert _check("Received an invalid value for `units`", "Dense", units) is None


def test_a_class_given_for_an_object() -> None:
    optimizer = Argument(parameter="optimizer", text="Adam", type="keras.src.optimizers.adam.Adam", is_class=True)
    message = "Could not interpret optimizer identifier: <class 'keras.src.optimizers.adam.Adam'>"
    found = _check(message, "model.compile", optimizer)
    assert found is not None
    assert found.advice == ["Write `Adam()` instead of `Adam`."]


def test_two_strings_are_not_in_another_order() -> None:
    optimizer = Argument(parameter="optimizer", text="a", position=0, type="str", value="'adam'", says="String.")
    says = "Loss function. May be a string."
    loss = Argument(parameter="loss", text="b", position=1, type="str", value="'mse'", says=says)
    assert _check("Could not interpret optimizer identifier: mse", "model.compile", optimizer, loss) is None


def test_a_division_where_an_integer_is_needed() -> None:
    message = "'float' object cannot be interpreted as an integer"
    case = case_of(exit_code=1, process=[raised("TypeError", message, number=1)])
    case.recording.sources[FILE] = Source("y = x.reshape(4, 12 / 2)\n")
    found = wrong_argument.check(case)
    assert found is not None
    assert found.advice == ["Write `12 // 2` instead of `12 / 2`."]


def test_texts_where_numbers_are_needed() -> None:
    names = Argument(parameter="x", text="labels", position=0, type="numpy.ndarray", shape=[72], dtype="str416")
    message = "invalid literal for int() with base 10: np.str_('Ann')"
    found = _check(message, "keras.utils.to_categorical", names)
    assert found is not None
    assert "was given `labels`, an array of texts such as 'Ann'; expected numbers" in found.message
    assert "np.unique(labels, return_inverse=True)" in found.advice[0]
    numbers = Argument(parameter="x", text="labels", position=0, type="numpy.ndarray", shape=[72], dtype="int64")
    assert _check(message, "keras.utils.to_categorical", numbers) is None


def test_an_argument_that_is_taken_by_its_name_only() -> None:
    name = Argument(parameter="", text="'masks'", position=0, type="str", value="'masks'")
    message = "`name` must be passed as a keyword argument. Received: add_weight('masks', ...)."
    found = _check(message, "self.add_weight", name)
    assert found is not None
    assert found.advice == ["Write `name='masks'`."]
    assert _check("`name` is too long", "self.add_weight", name) is None


@pytest.mark.parametrize(("user", "found"), [(False, True), (True, False)])
def test_an_array_for_a_dict_is_told_where_the_library_asked_it_for_an_attribute(user: bool, found: bool) -> None:
    weights = Argument(
        parameter="class_weight",
        text="shares",
        type="numpy.ndarray",
        shape=[3],
        says="Optional dictionary mapping class indices (integers) to a weight (float) value.",
    )
    frames = [PLACE, Frame(file="/lib/keras/trainer.py", line=9, function="fit", user=user)]
    error = raised("AttributeError", "'numpy.ndarray' object has no attribute 'get'")
    link = msgspec.structs.replace(error.chain[0], frames=frames)
    call = ApiCalled(link=0, callee="model.fit", function="fit", arguments=[weights], frame=PLACE)
    case = case_of(exit_code=1, process=[call, msgspec.structs.replace(error, chain=[link])])
    told = wrong_argument.check(case)
    assert (told is not None) == found
    if told is not None:
        assert told.advice == ["Write `dict(enumerate(shares))` instead of `shares`."]
        assert "(an array), but `class_weight` takes a dict" in told.message
