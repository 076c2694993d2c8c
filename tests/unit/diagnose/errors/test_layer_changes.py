"""Changes that let a layer accept its input: what is offered, and what is dropped because it would fail elsewhere."""

from __future__ import annotations

import pytest

from tests.unit.diagnose.case_of import FILE
from whydied.diagnose.errors.framework_error import FrameworkError, Shape
from whydied.diagnose.errors.layer_changes import layer_changes
from whydied.diagnose.errors.samples.added_axes import added_axes
from whydied.records import ErrorFacts, Frame, InputWanted, LayerFacts, Party, RaisedException, ValueSource
from whydied.source.text import Source

PLACE = Frame(file=FILE, line=4, function="<module>", user=True)
LINK = RaisedException(type="ValueError", module="keras", message="expected another number of axes")


def _layer(kind: str, *output: int | None, **settings: str) -> LayerFacts:
    return LayerFacts(name=kind.lower(), type=kind, output_shape=list(output) or None, settings=settings, made=PLACE)


def _advice(party: Party, given: Shape, **fields: object) -> list[str]:
    facts = ErrorFacts(place=PLACE, parties=[party], **fields)  # type: ignore[arg-type]
    return layer_changes(FrameworkError(facts, LINK), party, given).sentences


LSTM = _layer("LSTM", units="8", return_sequences="False", return_state="False")


def test_the_axes_of_a_picture_become_steps() -> None:
    party = Party(role="input", text="maps", shape=[None, 4, 20, 8])
    told = _advice(party, [None, 4, 20, 8], layer=LSTM, feeding=_layer("Conv2D"), wanted=InputWanted(rank=3))
    assert told == [
        '`layers.Reshape((4, 160))` on `maps` before LSTM "lstm" (line 4 of train.py) makes it (None, 4, 160): 4 steps '
        "with 160 features each."
    ]


def test_each_meaning_of_a_missing_axis_is_told() -> None:
    x, y = Party(role="x", text="series", shape=[32, 20]), Party(role="y", text="y", shape=[32, 1])
    dense = _layer("Dense", units="1")
    facts = ErrorFacts(
        layer=LSTM, layers=[LSTM, dense], wanted=InputWanted(rank=3), parties=[x, y], call="fit", model="Sequential"
    )
    assert layer_changes(FrameworkError(facts, LINK), x, [None, 20]).sentences == [
        "Either `series[..., None]` makes it (32, 20, 1) (if a row is 20 steps with 1 feature); or `series[:, None]` "
        "makes it (32, 1, 20) (if a row is 1 step with 20 features)."
    ]


def test_a_single_sample_is_not_offered_where_there_are_targets_for_more() -> None:
    x, y = Party(role="x", text="rows", shape=[20, 3]), Party(role="y", text="y", shape=[7, 1])
    facts = ErrorFacts(
        layer=LSTM, layers=[LSTM], wanted=InputWanted(rank=3, axes={"-1": 3}), parties=[x, y], call="fit", loss="mse"
    )
    assert layer_changes(FrameworkError(facts, LINK), x, [None, 3]).sentences == []


def test_the_number_of_rows_in_a_declared_shape() -> None:
    entrance = _layer("InputLayer", None, 600, 28, 28, 1)
    convolution = _layer("Conv2D", filters="4", kernel_size="(3, 3)", strides="(1, 1)", padding="valid")
    party = Party(role="input", shape=[None, 600, 28, 28, 1])
    told = _advice(
        party,
        [None, 600, 28, 28, 1],
        layer=convolution,
        feeding=entrance,
        layers=[entrance],
        wanted=InputWanted(rank=4),
    )
    assert told == ["The declared input shape (line 4 of train.py) must not have the batch axis in it: `(28, 28, 1)`."]


def test_an_input_that_the_layers_behind_refuse_is_not_offered() -> None:
    entrance = _layer("InputLayer", None, 28, 28, 1)
    convolution = _layer("Conv2D", filters="4", kernel_size="(3, 3)", strides="(1, 1)", padding="valid")
    x = Party(role="x", text="photos", shape=[16, 5])
    facts = ErrorFacts(
        layer=_layer("Sequential"), layers=[entrance, convolution], call="fit", model="Sequential", parties=[x],
        wanted=InputWanted(shape=[None, 28, 28, 1]),
    )  # fmt: skip
    assert layer_changes(FrameworkError(facts, LINK), x, [None, 5]).sentences == []


def test_numbers_of_words_and_not_one_hot_rows() -> None:
    entrance = _layer("InputLayer", None, 9, 50)
    embedding = LayerFacts(
        name="embedding", type="Embedding", inputs=["inputlayer"], settings={"input_dim": "50", "output_dim": "12"}
    )
    party = Party(role="input", text="words", shape=[None, 9, 50, 12])
    layers = [entrance, embedding]
    told = _advice(party, [None, 9, 50, 12], layer=LSTM, feeding=embedding, layers=layers, wanted=InputWanted(rank=3))
    assert told == [
        'Embedding "embedding" takes numbers and not one-hot rows: declare `Input((9,))` (line 4 of train.py).'
    ]


def _of_call(x: Party, *layers: LayerFacts, kind: str = "Sequential") -> list[str]:
    facts = ErrorFacts(
        layer=_layer(kind), layers=list(layers), call="fit", model=kind, parties=[x],
        wanted=InputWanted(shape=layers[0].output_shape),
    )  # fmt: skip
    return layer_changes(FrameworkError(facts, LINK), x, x.shape or []).sentences


def test_grey_pictures_for_three_channels() -> None:
    x = Party(role="x", text="x", shape=[10, 64, 64])
    own = LayerFacts(name="own", type="Backbone", inputs=["inputlayer"])
    # What a layer without a known rule makes of another Input is not known, so none is offered.
    assert _of_call(x, _layer("InputLayer", None, 64, 64, 3), own) == [
        "If the pictures are grey, `np.repeat(x[..., None], 3, -1)` makes it (10, 64, 64, 3)."
    ]


@pytest.mark.parametrize(
    ("given", "wanted", "code"),
    [
        (1, 3, "If the pictures are grey, `np.repeat(x, 3, -1)` makes it (10, 64, 64, 3)."),
        (4, 3, "If the fourth channel is how opaque they are, `x[..., :3]` makes it (10, 64, 64, 3)."),
        (3, 1, "If the colours do not matter, `x.mean(-1, keepdims=True)` makes it (10, 64, 64, 1)."),
        (2, 3, ""),
    ],
)
def test_pictures_of_another_number_of_channels(given: int, wanted: int, code: str) -> None:
    x = Party(role="x", text="x", shape=[10, 64, 64, given])
    own = LayerFacts(name="own", type="Backbone", inputs=["inputlayer"])
    told = _of_call(x, _layer("InputLayer", None, 64, 64, wanted), own)
    assert told == ([code] if code else [])


def test_what_a_data_set_gives_is_changed_in_a_map() -> None:
    x = Party(role="element", text="ds", shape=[None, 3, 32, 32])
    assert _of_call(x, _layer("InputLayer", None, 32, 32, 3)) == [
        "`tf.transpose(x, [0, 2, 3, 1])` in a `map` of `ds` makes it (None, 32, 32, 3)."
    ]


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("numpy.ndarray", "`photos.reshape(len(photos), 784)`"),
        ("list", "`np.asarray(photos).reshape(-1, 784)`"),
        ("tensorflow.python.framework.ops.EagerTensor", "`tf.reshape(photos, (-1, 784))`"),
    ],
)
def test_the_code_is_for_the_type_of_the_data(kind: str, code: str) -> None:
    entrance, dense = _layer("InputLayer", None, 784), _layer("Dense", units="10")
    x = Party(role="x", text="photos", type=kind, shape=[16, 28, 28])
    facts = ErrorFacts(
        layer=_layer("Sequential"), layers=[entrance, dense], call="fit", model="Sequential", parties=[x],
        wanted=InputWanted(shape=[None, 784]),
    )  # fmt: skip
    told = layer_changes(FrameworkError(facts, LINK), x, [None, 28, 28], trained=True)
    assert told.sentences == [f"{code} gives it the expected shape."]


def test_what_will_be_passed_tells_what_to_declare_and_where() -> None:
    made = Frame(file=FILE, line=2, function="<module>", user=True)
    entrance = LayerFacts(name="input", type="InputLayer", output_shape=[None, 1], made=made)
    dense = LayerFacts(
        name="dense", type="Dense", output_shape=[None, 5], settings={"units": "5"}, inputs=["input"], made=made
    )
    party = Party(role="input", shape=[None, 5])
    later = Party(role="planned", text="series", shape=[130, 20, 1])
    facts = ErrorFacts(
        place=PLACE, parties=[party, later], layer=LSTM, feeding=dense, wanted=InputWanted(rank=3),
        layers=[entrance, dense, LSTM],
    )  # fmt: skip
    advice = layer_changes(FrameworkError(facts, LINK), party, [None, 5])
    assert advice.sentences == [
        "Declare the shape of `series` (130, 20, 1), which is passed later, without its rows (line 2 of train.py): "
        "`(20, 1)`."
    ]
    assert advice.frame == made


@pytest.mark.parametrize(
    ("text", "inner"), [("images[..., np.newaxis]", "images"), ("np.expand_dims(images, -1)", "images")]
)
def test_an_axis_that_is_added_twice_is_left_out(text: str, inner: str) -> None:
    source = Source(f"images = load()\ndata = slices(({text}, labels))\nmodel.fit(data)\n")
    made = ValueSource(kind="variable", name="data", frame=Frame(file=FILE, line=2, function="<module>", user=True))
    x = Party(role="element", text="data", shape=[None, 28, 28, 1, 1], sources=[made])
    convolution = _layer("Conv2D", filters="4", kernel_size="(3, 3)", strides="(1, 1)", padding="valid")
    facts = ErrorFacts(layer=convolution, wanted=InputWanted(rank=4), parties=[x], call="fit", model="Sequential")
    advice = layer_changes(FrameworkError(facts, LINK, {FILE: source}), x, [None, 28, 28, 1, 1])
    assert advice.sentences == [
        f"`{text}` (line 2 of train.py) adds an axis that is there already: with `{inner}` it is (None, 28, 28, 1)."
    ]
    assert advice.frame is not None
    assert advice.frame.line == 2
    assert [edit.text for edit in advice.changes[0].edits] == [inner]


def test_rows_that_are_picked_add_no_axis() -> None:
    source = Source("data = slices((images[:, 0], labels))\nmodel.fit(data)\n")
    made = ValueSource(kind="variable", name="data", frame=Frame(file=FILE, line=1, function="<module>", user=True))
    x = Party(role="element", text="data", shape=[None, 28, 28, 1, 1], sources=[made])
    assert list(added_axes({FILE: source}, x)) == []
