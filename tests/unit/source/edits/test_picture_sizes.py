"""Pictures that are brought to one size before they are batched."""

from __future__ import annotations

import textwrap

from whydied.source.edits.edit import edited
from whydied.source.edits.shapes.picture_sizes import declared_size, resized_before_batch
from whydied.source.text import Source

FILE = "/p/train.py"
PIPELINE = """\
    import tensorflow as tf

    SIZE = (32, 24)
    WIDTH = 24

    def batches(data, count):
        return data.shuffle(10).batch(count).prefetch(2)

    """


def source(model: str) -> Source:
    return Source(textwrap.dedent(PIPELINE) + model + "\n")


def size(model: str) -> str | None:
    return declared_size({FILE: source(model)}, FILE)


def test_the_size_that_the_model_declares() -> None:
    assert size("Input((*SIZE, 3))") == "SIZE"
    assert size("Input(shape=(32, WIDTH, 3))") == "(32, WIDTH)"
    assert size("Conv2D(8, 3, input_shape=(32, 24, 3))") == "(32, 24)"


def test_sizes_that_say_nothing() -> None:
    """None of them, an open one, a name of a function, two models of different sizes, a vector."""
    assert size("Input((None, None, 3))") is None
    assert size("def build(width):\n    return Input((width, width, 3))") is None
    assert size("Input((32, 24, 3))\nInput((16, 16, 3))") is None
    assert size("Input((8,))") is None


def test_a_map_before_the_batch() -> None:
    made = source("Input((*SIZE, 3))")
    texts = [edited(made, edits) for edits in resized_before_batch(made, FILE, 7, "SIZE")]
    lines = [text.splitlines()[6].strip() for text in texts if text is not None]
    assert lines == [
        "return data.shuffle(10).map(lambda picture, *rest: (tf.image.resize(picture, SIZE), *rest))"
        ".batch(count).prefetch(2)",
        "return data.shuffle(10).map(lambda picture: tf.image.resize(picture, SIZE)).batch(count).prefetch(2)",
        "return data.shuffle(10).map(lambda picture, mask, *rest: (tf.image.resize(picture, SIZE), "
        'tf.image.resize(mask, SIZE, method="nearest"), *rest)).batch(count).prefetch(2)',
    ]
    assert resized_before_batch(made, FILE, 6, "SIZE") == []
