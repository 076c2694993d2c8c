"""Layers where they are made: which call made one, what is set in it, and the shape of an Input."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, whole
from whydied.source.edits.shapes.layer_edits import (
    Made,
    input_edits,
    layer_call,
    set_one_more,
    set_setting,
    without_setting,
    wrapped_call,
)
from whydied.source.text import Source
from whydied.source.trees import written


def _dense(name: str, units: int) -> Made:
    return Made("Dense", name, {"units": str(units)})


TWO = [_dense("dense", 8), _dense("dense_1", 4)]


@pytest.mark.parametrize(
    ("text", "layer", "beside", "found"),
    [
        ("Dense(8)", TWO[0], TWO[:1], "Dense(8)"),
        ("Sequential([Dense(8), Dense(4)])", TWO[1], TWO, "Dense(4)"),
        ("Sequential([Dense(a), Dense(b)])", TWO[1], TWO, "Dense(b)"),
        ("Dense(4)(Dense(8)(x))", TWO[0], TWO, "Dense(8)"),
        ("Dense(a)(Dense(b)(x))", TWO[0], TWO, None),
        ("Sequential([Dense(8, name='one'), Dense(8, name='two')])", _dense("two", 8), [], "Dense(8, name='two')"),
        ("[Dense(n) for n in (8, 4)]", TWO[0], TWO, None),
        ("Dense(8)", Made("LSTM", "lstm", {}), [], None),
    ],
)
def test_a_layer_is_known_by_its_settings_else_by_its_order(
    text: str, layer: Made, beside: list[Made], found: str | None
) -> None:
    call = layer_call(Source(text), 1, layer, beside)
    assert (written(call) if call is not None else None) == found


@pytest.mark.parametrize(
    ("text", "kind", "word", "value", "wanted"),
    [
        ("Dense(8)", "Dense", "units", "3", "Dense(3)"),
        ("Dense(8, 'softmax')", "Dense", "activation", '"sigmoid"', 'Dense(8, "sigmoid")'),
        ("Conv2D(8, 5)", "Conv2D", "kernel_size", "4", "Conv2D(8, 4)"),
        ("Conv2D(8, (5, 5))", "Conv2D", "kernel_size", "4", "Conv2D(8, 4)"),
        ("Conv2D(8, 5)", "Conv2D", "padding", '"same"', 'Conv2D(8, 5, padding="same")'),
        ("MaxPooling2D(2, 2, 'valid')", "MaxPooling2D", "padding", '"same"', 'MaxPooling2D(2, 2, "same")'),
        ("LSTM(8)", "LSTM", "return_sequences", "True", "LSTM(8, return_sequences=True)"),
        ("Dense(*sizes)", "Dense", "units", "3", None),
        ("Dense(len(names))", "Dense", "units", "3", None),
    ],
)
def test_a_setting_is_written_where_the_layer_takes_it(
    text: str, kind: str, word: str, value: str, wanted: str | None
) -> None:
    source = Source(text)
    call = layer_call(source, 1, Made(kind, "", {}), [])
    assert call is not None
    assert whole(source, set_setting(source, FILE, call, kind, word, value)) == wanted


def test_a_table_with_one_row_more() -> None:
    source = Source("e = Embedding(len(words), 8)")
    call = layer_call(source, 1, Made("Embedding", "e", {}), [])
    assert call is not None
    edits = set_one_more(source, FILE, call, "Embedding", "input_dim", 101)
    assert whole(source, edits) == "e = Embedding(len(words) + 1, 8)"


def test_a_wrapped_layer_and_a_setting_that_goes() -> None:
    source = Source("b = Bidirectional(LSTM(8, return_sequences=True))")
    call = layer_call(source, 1, Made("Bidirectional", "b", {}), [])
    assert call is not None
    inner = wrapped_call(call, "LSTM")
    assert inner is not None
    assert whole(source, without_setting(source, FILE, inner, "return_sequences")) == "b = Bidirectional(LSTM(8))"
    assert without_setting(source, FILE, inner, "activation") is None
    assert wrapped_call(call, "GRU") is None


@pytest.mark.parametrize(
    ("text", "was", "sizes", "wanted"),
    [
        ("Input((8,))", [8], [9], "Input((9,))"),
        ("Input(shape=[8])", [8], [9], "Input(shape=[9])"),
        ("Dense(4, input_shape=(8,))", [8], [9], "Dense(4, input_shape=(9,))"),
        ("Dense(4, input_dim=8)", [8], [9], "Dense(4, input_dim=9)"),
        ("Dense(4, input_dim=8)", [8], [2, 9], "Dense(4, input_shape=(2, 9))"),
        ("Input(batch_shape=(5, 8))", [8], [9], "Input(batch_shape=(5, 9))"),
        ("LSTM(4, batch_input_shape=(None, 6, 8))", [6, 8], [6, 9], "LSTM(4, batch_input_shape=(None, 6, 9))"),
        ("a, b = Input((8,)), Input((3,))", [8], [9], "a, b = Input((9,)), Input((3,))"),
        ("a, b = Input((8,)), Input((8,))", [8], [9], None),
        ("Embedding(100, 8, input_dim=8)", [8], [9], None),
        ("Dense(4)", [8], [9], None),
    ],
)
def test_the_shape_that_an_input_declares(
    text: str, was: list[int | None], sizes: list[int | None], wanted: str | None
) -> None:
    source = Source(text)
    assert whole(source, input_edits(source, FILE, 1, was, sizes)) == wanted
