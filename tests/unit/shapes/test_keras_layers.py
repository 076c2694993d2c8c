"""What layers make of shapes is what Keras makes of them; the figures are Keras' own."""

from __future__ import annotations

import pytest

from whydied.records import LayerFacts
from whydied.shapes.keras_layers import output
from whydied.shapes.plan import replaced, through, with_setting
from whydied.shapes.shape import Refusal, Shape


def _layer(kind: str, **settings: object) -> LayerFacts:
    return LayerFacts(name=kind.lower(), type=kind, settings={name: str(value) for name, value in settings.items()})


@pytest.mark.parametrize(
    ("layer", "given", "expected"),
    [
        (_layer("Dense", units=8), [None, 3], [None, 8]),
        (_layer("Dense", units=8), [32, 5, 3], [32, 5, 8]),
        (_layer("LSTM", units=8, return_sequences=False), [None, 5, 3], [None, 8]),
        (_layer("GRU", units=8, return_sequences=True), [None, 5, 3], [None, 5, 8]),
        (_layer("Embedding", output_dim=16), [None, 20], [None, 20, 16]),
        (_layer("Flatten"), [None, 4, 4, 2], [None, 32]),
        (_layer("Flatten"), [None, None, 2], [None, None]),
        (_layer("Reshape", target_shape=(8, -1)), [None, 4, 4, 2], [None, 8, 4]),
        (_layer("RepeatVector", n=7), [None, 3], [None, 7, 3]),
        (_layer("Permute", dims=(2, 1)), [None, 4, 5], [None, 5, 4]),
        (_layer("BatchNormalization", axis=-1), [None, 4, 5], [None, 4, 5]),
        (
            _layer("Conv2D", filters=6, kernel_size=(3, 3), strides=(1, 1), padding="valid"),
            [None, 28, 28, 1],
            [None, 26, 26, 6],
        ),
        (
            _layer("Conv2D", filters=6, kernel_size=(3, 3), strides=(2, 2), padding="same"),
            [None, 28, 27, 1],
            [None, 14, 14, 6],
        ),
        (
            _layer("Conv2DTranspose", filters=6, kernel_size=(3, 3), strides=(2, 2), padding="same"),
            [None, 5, 6, 4],
            [None, 10, 12, 6],
        ),
        (
            _layer("Conv1DTranspose", filters=6, kernel_size=(5,), strides=(2,), padding="valid"),
            [None, 5, 4],
            [None, 13, 6],
        ),
        (
            _layer("Conv1D", filters=6, kernel_size=(3,), strides=(1,), padding="causal", dilation_rate=(2,)),
            [None, 10, 4],
            [None, 10, 6],
        ),
        (
            _layer("Conv2D", filters=6, kernel_size=(3, 3), strides=(1, 1), data_format="channels_first"),
            [None, 3, 28, 28],
            [None, 6, 26, 26],
        ),
        (_layer("MaxPooling2D", pool_size=(2, 2), strides=(2, 2), padding="valid"), [None, 5, 5, 3], [None, 2, 2, 3]),
        (_layer("GlobalAveragePooling2D"), [None, 5, 5, 3], [None, 3]),
        (_layer("UpSampling2D", size=(2, 2)), [None, 5, 5, 3], [None, 10, 10, 3]),
        (_layer("Attention"), [None, 5, 3], None),
    ],
)
def test_a_layer_gives_what_keras_gives(layer: LayerFacts, given: Shape, expected: Shape | None) -> None:
    assert output(layer, [given]) == expected


@pytest.mark.parametrize(
    ("layer", "given"),
    [
        (_layer("Dense", units=8), [32]),
        (_layer("Dense", units=8), [None, None]),
        (_layer("LSTM", units=8), [None, 5]),
        (_layer("Reshape", target_shape=(3, 3)), [None, 8]),
        (_layer("Conv2D", filters=6, kernel_size=(3, 3), strides=(1, 1)), [None, 28, 28]),
        (_layer("Conv2D", filters=6, kernel_size=(3, 3), strides=(1, 1)), [None, 2, 28, 1]),
        (_layer("MaxPooling2D", pool_size=(2, 2), strides=(2, 2)), [None, 1, 1, 3]),
    ],
)
def test_a_layer_refuses_what_keras_refuses(layer: LayerFacts, given: Shape) -> None:
    assert isinstance(output(layer, [given]), Refusal)


def test_layers_of_several_inputs() -> None:
    joined = _layer("Concatenate", axis=-1)
    assert output(joined, [[None, 4, 2], [None, 4, 3]]) == [None, 4, 5]
    assert isinstance(output(joined, [[None, 4, 2], [None, 5, 3]]), Refusal)
    assert output(_layer("Add"), [[None, 4], [None, 1]]) == [None, 4]
    assert isinstance(output(_layer("Add"), [[None, 4], [None, 3]]), Refusal)


def test_a_plan_is_pushed_through_and_changed() -> None:
    layers = [
        LayerFacts(name="in", type="InputLayer", output_shape=[None, 5, 3]),
        LayerFacts(name="first", type="LSTM", settings={"units": "8", "return_sequences": "False"}),
        LayerFacts(name="second", type="LSTM", settings={"units": "4", "return_sequences": "False"}, inputs=["first"]),
    ]
    refused = through(layers, {}).refused
    assert refused is not None
    assert refused[0].name == "second"
    other = LayerFacts(name="first", type="LSTM", settings={"units": "8", "return_sequences": "True"})
    passage = through(replaced(layers, other), {"in": [None, 9, 3]})
    assert passage.refused is None
    assert passage.outputs == {"in": [None, 9, 3], "first": [None, 9, 8], "second": [None, 4]}


def test_behind_a_layer_without_a_rule_nothing_is_said_unless_it_gets_the_same() -> None:
    layers = [
        LayerFacts(name="in", type="InputLayer", output_shape=[None, 3]),
        LayerFacts(name="own", type="Own", input_shape=[None, 3], output_shape=[None, 7]),
        LayerFacts(name="last", type="Dense", settings={"units": "2"}),
    ]
    assert through(layers, {}).outputs["last"] == [None, 2]
    other = through(layers, {"in": [None, 4]})
    assert (other.is_known, "last" in other.outputs) == (False, False)


def test_layers_inside_of_others() -> None:
    steps = _layer("LSTM", units=8, return_sequences=True)
    both = LayerFacts(name="both", type="Bidirectional", settings={"merge_mode": "concat"}, wrapped=steps)
    assert output(both, [[None, 5, 3]]) == [None, 5, 16]
    assert output(with_setting(both, "return_sequences", "False"), [[None, 5, 3]]) == [None, 16]
    each = LayerFacts(name="each", type="TimeDistributed", wrapped=_layer("Dense", units=4))
    assert output(each, [[None, 5, 3]]) == [None, 5, 4]
    assert isinstance(output(each, [[None, 3]]), Refusal)


def test_a_layer_of_which_nothing_is_known_is_not_chained_outside_of_a_sequential() -> None:
    plan = [LayerFacts(name="input", type="InputLayer", output_shape=[None, 3]), _layer("Dense", units=4)]
    assert through(plan, {}).outputs["dense"] == [None, 4]
    passage = through(plan, {}, chained=False)
    assert ("dense" in passage.outputs, passage.is_known) == (False, False)
