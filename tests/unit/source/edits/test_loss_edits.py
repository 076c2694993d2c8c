"""Losses of `compile`, and other names of one statement."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, whole
from whydied.source.edits.shapes.loss_edits import DENSE, SPARSE, called_name, compiled_loss, ignoring_loss
from whydied.source.text import Source


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"m.compile('sgd', '{SPARSE}')", f"m.compile('sgd', '{DENSE}')"),
        (
            f'm.compile(loss="{SPARSE}", metrics=["sparse_categorical_accuracy"])',
            f'm.compile(loss="{DENSE}", metrics=["categorical_accuracy"])',
        ),
        (
            "m.compile(loss=losses.SparseCategoricalCrossentropy(from_logits=True))",
            "m.compile(loss=losses.CategoricalCrossentropy(from_logits=True))",
        ),
        (
            "from keras.losses import SparseCategoricalCrossentropy\nm.compile(loss=SparseCategoricalCrossentropy())",
            "from keras.losses import CategoricalCrossentropy\nfrom keras.losses import SparseCategoricalCrossentropy\n"
            "m.compile(loss=CategoricalCrossentropy())",
        ),
        (f"loss = '{SPARSE}'\nm.compile('sgd', loss)", f"loss = '{DENSE}'\nm.compile('sgd', loss)"),
        ("m.compile('sgd', 'mse')", None),
        ("m.compile('sgd')", None),
        ("m.fit(x)", None),
    ],
)
def test_another_loss_with_the_metric_that_goes_with_it(text: str, wanted: str | None) -> None:
    source = Source(text)
    assert whole(source, compiled_loss(source, FILE, len(source.lines), SPARSE, DENSE)) == wanted


def test_a_loss_with_other_arguments_and_one_of_several() -> None:
    source = Source("m.compile('sgd', k.SparseCategoricalCrossentropy(from_logits=True))")
    assert whole(source, compiled_loss(source, FILE, 1, SPARSE, "mse")) == "m.compile('sgd', \"mse\")"
    assert compiled_loss(source, FILE, 1, DENSE, "mse") is None
    assert compiled_loss(Source(f"m.compile('sgd', ['{SPARSE}', 'mse'])"), FILE, 1, SPARSE, DENSE) is None


def test_a_label_that_is_passed_over() -> None:
    text = Source(f"import keras\nm.compile('sgd', '{SPARSE}')")
    wanted = "import keras\nm.compile('sgd', keras.losses.SparseCategoricalCrossentropy(ignore_class=-1))"
    assert whole(text, ignoring_loss(text, FILE, 2, "-1")) == wanted
    made = Source("m.compile('sgd', k.SparseCategoricalCrossentropy())")
    assert whole(made, ignoring_loss(made, FILE, 1, "-1")) == (
        "m.compile('sgd', k.SparseCategoricalCrossentropy(ignore_class=-1))"
    )
    assert ignoring_loss(Source("m.compile('sgd', 'mse')"), FILE, 1, "-1") is None


def test_a_method_of_another_name() -> None:
    source = Source("d = d.skip(1).batch(4)")
    assert whole(source, called_name(source, FILE, 1, "batch", "padded_batch")) == "d = d.skip(1).padded_batch(4)"
    assert called_name(Source("d.batch(2).batch(3)"), FILE, 1, "batch", "padded_batch") is None
