from __future__ import annotations

import pytest

from whydied.inside.errors.near_names import NOTHING, close, likeness, look


@pytest.mark.parametrize(
    ("wanted", "names", "first"),
    [
        ("learnig_rate", ["learning_rate", "rate", "training"], "learning_rate"),
        ("Batch_Size", ["batch", "batch_size"], "batch_size"),
        ("trian", ["train", "brain", "trial"], "train"),
        ("epoch", ["epochs", "each"], "epochs"),
        ("dense", ["Dense", "Tense"], "Dense"),
    ],
)
def test_the_nearest_name(wanted: str, names: list[str], first: str) -> None:
    assert close(wanted, names)[0] == first


def test_nothing_is_near() -> None:
    assert close("tokenizer", ["x", "loss", "optimizer_state", "tok"]) in ((), ("tok",))
    assert close("a", ["a"]) == ()
    assert likeness("abc", "xyz") == 0.0
    assert likeness("a" * 500, "a" * 499 + "b") == 0.0


def test_a_layer_or_an_input_that_keras_misses() -> None:
    missing = ValueError("No such layer: conv2. Existing layers are: ['conv_1', 'conv_2', 'dense'].")
    assert look(missing, None, None).near[:1] == ("conv_2",)
    given = "Missing data for input \"meta\". You passed a data dictionary with keys ['image', 'metadata']. Expected"
    assert look(ValueError(f"{given} the following keys: ['image', 'meta']"), None, None).near == ("metadata",)
    assert look(ValueError("No such thing: ['meta']"), None, None) is NOTHING
