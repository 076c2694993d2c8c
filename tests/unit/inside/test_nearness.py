from __future__ import annotations

import pytest

from whydied.inside.nearness import close, likeness


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
