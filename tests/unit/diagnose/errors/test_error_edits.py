"""Edits by what was recorded of an error: what is written, and where nothing is."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE
from tests.unit.source.edits.written import whole
from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.error_edits import Edits
from whydied.diagnose.errors.framework_error import FrameworkError
from whydied.records import ErrorFacts, Frame, LayerFacts, Party, RaisedException, ValueSource
from whydied.source.text import Source

LINK = RaisedException(type="ValueError", module="keras", message="")


def _line(number: int) -> Frame:
    return Frame(file=FILE, line=number, function="<module>", user=True)


def _error(text: str, line: int = 1, **fields: object) -> FrameworkError:
    return FrameworkError(ErrorFacts(place=_line(line), **fields), LINK, {FILE: Source(text)})  # type: ignore[arg-type]


def _layer(kind: str, name: str, line: int = 1, **fields: object) -> LayerFacts:
    return LayerFacts(name=name, type=kind, made=_line(line), **fields)  # type: ignore[arg-type]


def _text(error: FrameworkError, edits: Edits) -> str | None:
    return whole(error.sources[FILE], edits)  # type: ignore[arg-type]


def test_a_setting_of_the_layer_inside_a_wrapper() -> None:
    inner = _layer("LSTM", "lstm", settings={"return_sequences": "False"})
    outer = _layer("Bidirectional", "both", wrapped=inner)
    error = _error("b = Bidirectional(LSTM(8), merge_mode='sum')", layers=[outer])
    edits = error_edits.setting(error, outer, "return_sequences", "True")
    assert _text(error, edits) == "b = Bidirectional(LSTM(8, return_sequences=True), merge_mode='sum')"


def test_the_second_of_two_layers_that_are_alike() -> None:
    layers = [_layer("Dense", name, settings={"units": "4"}) for name in ("dense", "dense_1")]
    error = _error("m = Sequential([Dense(4), Dense(4)])", layers=layers)
    assert _text(error, error_edits.setting(error, layers[1], "units", "5")) == "m = Sequential([Dense(4), Dense(5)])"


def test_a_layer_of_another_file_is_left_alone() -> None:
    layer = _layer("Dense", "dense")
    error = FrameworkError(ErrorFacts(layers=[layer]), LINK, {})
    assert error_edits.setting(error, layer, "units", "5") is None
    assert error_edits.inserted(error, layer, "Flatten()") is None
    assert error_edits.declared(error, _layer("InputLayer", "in", output_shape=[None, 8]), [9]) is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "m = Sequential([k.Input((784,)), k.Dense(4)])",
            "m = Sequential([k.Input((28, 28)), k.Flatten(), k.Dense(4)])",
        ),
        ("m = Sequential([k.Dense(4, input_shape=(784,))])", None),
    ],
)
def test_an_input_and_a_flatten(text: str, wanted: str | None) -> None:
    entrance, dense = _layer("InputLayer", "in", output_shape=[None, 784]), _layer("Dense", "dense")
    error = _error(text, layers=[entrance, dense])
    assert _text(error, error_edits.declared_and_flat(error, entrance, [28, 28])) == wanted


def test_data_of_a_training_are_changed_where_the_model_is_evaluated_too() -> None:
    x = Party(role="x", text="x", shape=[8, 3])
    text = "m.fit(x, y)\nm.evaluate(xt, yt)"
    error = _error(text, call="fit", receiver="m", parties=[x])
    assert _text(error, error_edits.passed(error, x, "{x}[..., None]")) == (
        "m.fit(x[..., None], y)\nm.evaluate(xt[..., None], yt)"
    )
    assert _text(error, error_edits.passed_there(error, x, "{x}[:4]")) == "m.fit(x[:4], y)\nm.evaluate(xt, yt)"
    predicted = _error("m.predict(x)\nm.predict(z)", call="predict", receiver="m", parties=[x])
    assert _text(predicted, error_edits.passed(predicted, x, "{x}[None]")) == "m.predict(x[None])\nm.predict(z)"


def test_of_several_inputs_just_one_is_changed() -> None:
    parties = [Party(role="x", text=name, shape=[8, 3]) for name in ("a", "b")]
    error = _error("m.fit([a, b], y)\nm.evaluate([a, b], y)", call="fit", receiver="m", parties=parties)
    assert _text(error, error_edits.passed(error, parties[1], "{x}.T")) == "m.fit([a, b.T], y)\nm.evaluate([a, b], y)"


def test_an_argument_is_changed_where_the_caller_made_it() -> None:
    text = "def step(state):\n    return tf.matmul(w, state)\nstate = start()\nstep(state)"
    made = ValueSource(kind="variable", name="state", text="start()", frame=_line(3))
    party = Party(role="operand", text="state", shape=[20], sources=[made])
    error = _error(text, 2, parties=[party])
    wanted = "state = tf.expand_dims(start(), -1)"
    changed = _text(error, error_edits.argument(error, party, "tf.expand_dims({x}, -1)")) or ""
    assert wanted in changed.splitlines()
    elsewhere = _error(text, 4, parties=[party])
    assert error_edits.argument(elsewhere, party, "tf.expand_dims({x}, -1)") is None


def test_a_size_of_a_reshape_and_of_a_layer() -> None:
    error = _error("y = tf.reshape(x, [-1, 7, n])\nz = Reshape((7, 8))(y)")
    assert _text(error, error_edits.reshaped(error, 1, 5)) == "y = tf.reshape(x, [-1, 5, n])\nz = Reshape((7, 8))(y)"
    layer = _layer("Reshape", "reshape", 2)
    assert _text(error, error_edits.target_shape(error, layer, [7, 8], [7, 9])) == (
        "y = tf.reshape(x, [-1, 7, n])\nz = Reshape((7, 9))(y)"
    )


def test_another_layer_and_an_argument_of_the_call() -> None:
    error = _error("x = layers.Flatten()(x)\nm.fit(x, y, batch_size=64)", 2, call="fit")
    flat = _layer("Flatten", "flatten")
    assert (_text(error, error_edits.other_layer(error, flat, "GlobalMaxPooling2D")) or "").splitlines()[0] == (
        "x = layers.GlobalMaxPooling2D()(x)"
    )
    assert (_text(error, error_edits.call_argument(error, "batch_size", "8")) or "").splitlines()[1] == (
        "m.fit(x, y, batch_size=8)"
    )


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        ("e = layers.LSTM(8)\nz = e(x)", "e = layers.LSTM(8)\nz = e(layers.Reshape((4, 160))(x))"),
        (
            "from keras.layers import LSTM\ne = LSTM(8)\nz = e(x)",
            "from keras.layers import Reshape\nfrom keras.layers import LSTM\ne = LSTM(8)\nz = e(Reshape((4, 160))(x))",
        ),
    ],
)
def test_a_layer_is_put_where_another_one_is_called(made: str, wanted: str) -> None:
    last = made.count("\n") + 1
    layer = _layer("LSTM", "lstm", last - 1)
    error = _error(made, last, layers=[layer])
    assert _text(error, error_edits.inserted(error, layer, "Reshape((4, 160))", "x")) == wanted
    assert error_edits.inserted(error, layer, "Reshape((4, 160))") is None
