"""Shapes of pictures that are written with their channels first."""

from __future__ import annotations

import textwrap

from whydied.source.edits.edit import edited
from whydied.source.edits.shapes.channel_order import channels_first
from whydied.source.text import Source

FILE = "/p/train.py"
PROGRAM = textwrap.dedent(
    """\
    SIDE = 28
    train = np.reshape(train, (len(train), 1, 28, SIDE))
    test = test.reshape(-1, 1, 28, SIDE)
    pictures = Input(shape=(1, 28, SIDE))
    inner = Conv2D(8, (3, 3), padding="same")(pictures)
    """
)


def test_every_sequence_that_ends_so_is_turned() -> None:
    source = Source(PROGRAM)
    found = channels_first({FILE: source})
    assert found is not None
    assert (found.line, found.shape, found.turned) == (4, "(1, 28, SIDE)", "(28, SIDE, 1)")
    text = edited(source, found.edits)
    assert text is not None
    assert text.splitlines()[1:4] == [
        "train = np.reshape(train, (len(train), 28, SIDE, 1))",
        "test = test.reshape(-1, 28, SIDE, 1)",
        "pictures = Input(shape=(28, SIDE, 1))",
    ]


def test_shapes_that_say_nothing() -> None:
    """Channels that are last, an order that the layers are told, no picture layers, two such shapes, small sides."""
    for old, new in (
        ("shape=(1, 28, SIDE)", "shape=(28, SIDE, 1)"),
        ('padding="same"', 'data_format="channels_first"'),
        ("Conv2D(8, (3, 3)", "Dense(8, (3, 3)"),
        ("inner =", "other = Input(shape=(3, 28, 28))\ninner ="),
        ("shape=(1, 28, SIDE)", "shape=(1, 2, 28)"),
        ("SIDE = 28", "SIDE = measured()"),
    ):
        assert old in PROGRAM
        assert channels_first({FILE: Source(PROGRAM.replace(old, new))}) is None
