"""The file of a recorded graph: whole there and back, and one sentence for anything else."""

from __future__ import annotations

import struct

import pytest

from tests.unit.graph.drawing import Drawing, table
from whydied.errors import RecordingError
from whydied.graph.op_table import MAGIC, Layer, Line, Table, Variable, decode, element_bytes, encode


def example() -> Table:
    drawing = Drawing()
    x = drawing.argument((None, 3))
    y = drawing.op("Relu", x, shape=(None, 3), line=0, layer=0)
    drawing.op("Conv2D", y, x, shape=None, attributes={"strides": [1, 1], "padding": "SAME"})
    return table(
        drawing.function(y),
        lines=(Line("a.py", 3, "f", True, 2),),
        layers=(Layer("dense", "Dense", "a.py", 1),),
        variables=(Variable("w", (3, None), "float32"),),
    )


def test_there_and_back() -> None:
    assert decode(encode(example())) == example()


def test_a_file_cut_at_any_byte_is_refused_with_a_sentence() -> None:
    data = encode(example())
    for size in range(len(data)):
        with pytest.raises(RecordingError):
            decode(data[:size])


def test_a_later_version_is_refused() -> None:
    with pytest.raises(RecordingError, match="format version 9"):
        decode(MAGIC + struct.pack("<H", 9) + encode(example())[10:])


def test_handles_are_no_data() -> None:
    assert (element_bytes("float32"), element_bytes("resource"), element_bytes("variant")) == (4, 0, 0)
