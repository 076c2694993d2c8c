"""Shapes and small integers, as TensorFlow computes them."""

from __future__ import annotations

from typing import Any

import pytest

from whydied.graph.integers import Known, compute
from whydied.graph.op_shapes import Batch, infer
from whydied.graph.op_table import Dims, Op, Shape

OPEN = Batch(None, 8)


def of(kind: str, *given: Known, static: Dims | None = None, batch: Batch = OPEN, **attributes: Any) -> Shape:
    return infer(Op("op", kind, shapes=(static,), dtypes=("float32",), attributes=attributes), given, batch)[0]


def tensor(*shape: int) -> Known:
    return shape, None


def values(*items: int) -> Known:
    return (len(items),), items


def scalar(item: int) -> Known:
    return (), (item,)


@pytest.mark.parametrize(
    ("kind", "given", "attributes", "expected"),
    [
        ("Relu", [tensor(8, 3)], {}, (8, 3)),
        ("AddV2", [tensor(8, 1, 5), tensor(4, 1)], {}, (8, 4, 5)),
        ("MatMul", [tensor(8, 3), tensor(3, 7)], {}, (8, 7)),
        ("MatMul", [tensor(8, 3), tensor(8, 7)], {"transpose_a": True}, (3, 7)),
        ("BatchMatMulV2", [tensor(8, 4, 9, 3), tensor(8, 4, 9, 3)], {"adj_y": True}, (8, 4, 9, 9)),
        ("Einsum", [tensor(8, 9, 6), tensor(6, 4, 2)], {"equation": "abc,cde->abde"}, (8, 9, 4, 2)),
        ("Einsum", [tensor(8, 9, 6), tensor(6, 4)], {"equation": "...x,xy->...y"}, (8, 9, 4)),
        (
            "Conv2D",
            [tensor(8, 28, 28, 3), tensor(3, 3, 3, 16)],
            {"strides": [1, 2, 2, 1], "padding": "SAME", "data_format": "NHWC"},
            (8, 14, 14, 16),
        ),
        (
            "Conv2D",
            [tensor(8, 3, 28, 28), tensor(5, 5, 3, 16)],
            {"strides": [1, 1, 1, 1], "padding": "VALID", "data_format": "NCHW"},
            (8, 16, 24, 24),
        ),
        (
            "DepthwiseConv2dNative",
            [tensor(8, 10, 10, 4), tensor(3, 3, 4, 2)],
            {"strides": [1, 1, 1, 1], "padding": "SAME"},
            (8, 10, 10, 8),
        ),
        ("MaxPool", [tensor(8, 9, 9, 4)], {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1]}, (8, 4, 4, 4)),
        ("Conv2DBackpropInput", [values(1, 5, 5, 3), tensor(1), tensor(8, 5, 5, 9)], {}, (8, 5, 5, 3)),
        ("Reshape", [tensor(8, 4, 4), values(-1, 16)], {}, (8, 16)),
        ("Sum", [tensor(8, 4, 5), values(-1)], {}, (8, 4)),
        ("Mean", [tensor(8, 4, 5), values(1, 2)], {"keep_dims": True}, (8, 1, 1)),
        ("ConcatV2", [tensor(8, 2), tensor(8, 3), scalar(1)], {}, (8, 5)),
        ("Pack", [tensor(8, 2), tensor(8, 2), tensor(8, 2)], {"axis": 1}, (8, 3, 2)),
        ("Transpose", [tensor(8, 2, 3), values(1, 0, 2)], {}, (2, 8, 3)),
        ("GatherV2", [tensor(100, 16), tensor(8, 20), scalar(0)], {}, (8, 20, 16)),
        ("OneHot", [tensor(8), scalar(10)], {}, (8, 10)),
        ("ExpandDims", [tensor(8, 3), scalar(-1)], {}, (8, 3, 1)),
        ("Squeeze", [tensor(8, 1, 3)], {"squeeze_dims": [1]}, (8, 3)),
        ("Tile", [tensor(8, 1), values(1, 4)], {}, (8, 4)),
        ("Pad", [tensor(8, 4), ((2, 2), (0, 0, 1, 2))], {}, (8, 7)),
        ("Fill", [values(8, 3), scalar(0)], {}, (8, 3)),
        ("Slice", [tensor(8, 9), values(0, 2), values(-1, 3)], {}, (8, 3)),
        (
            "StridedSlice",
            [tensor(8, 9, 4), values(0, 1), values(0, 3), values(1, 1)],
            {"begin_mask": 1, "end_mask": 1},
            (8, 2, 4),
        ),
        (
            "StridedSlice",
            [tensor(8, 9), values(0, 0, 0), values(0, 0, 0), values(1, 1, 1)],
            {"begin_mask": 3, "end_mask": 3, "new_axis_mask": 4},
            (8, 9, 1),
        ),
        ("StridedSlice", [tensor(8, 9), values(-1), values(0), values(1)], {"shrink_axis_mask": 1}, (9,)),
        ("ResizeBilinear", [tensor(8, 4, 4, 3), values(16, 16)], {}, (8, 16, 16, 3)),
    ],
)
def test_rules(kind: str, given: list[Known], attributes: dict[str, Any], expected: Shape) -> None:
    assert of(kind, *given, **attributes) == expected


def test_a_pool_for_training_writes_down_which_element_was_the_largest() -> None:
    windows = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1]}
    op = Op("pool", "MaxPool", shapes=((None, 4, 4, 4), None), dtypes=("float32", "uint8"), attributes=windows)
    assert infer(op, [tensor(8, 9, 9, 4)], OPEN) == [(8, 4, 4, 4), (8 * 4 * 4 * 4,)]
    wide = Op("pool", "MaxPool", shapes=(None, None), dtypes=("float32", "uint8"), attributes={"ksize": [1, 16, 16, 1]})
    assert infer(wide, [tensor(1, 16, 16, 1)], OPEN) == [(1, 1, 1, 1), (4,)]


def test_an_unknown_op_takes_open_sizes_from_an_input_of_its_rank() -> None:
    assert of("Mystery", tensor(6, 5), static=(None, 7)) == (6, 7)


def test_what_the_trace_knows_is_used() -> None:
    assert of("Reshape", tensor(8, 4), ((2,), None), static=(None, 2, 2)) == (8, 2, 2)


def test_a_shape_written_down_by_the_trace_gets_the_wanted_batch() -> None:
    other = Batch(32, 128)
    assert of("Fill", values(32, 3), scalar(0), static=(32, 3), batch=other) == (128, 3)
    assert of("Fill", values(7, 3), scalar(0), static=(7, 3), batch=other) == (7, 3)
    assert of("Reshape", tensor(128, 5, 4), values(160, 4), static=(160, 4), batch=other) == (640, 4)
    assert of("Fill", values(10, 32, 3), scalar(0), static=(10, 32, 3), batch=other) == (10, 128, 3)


def test_the_axes_of_a_gradient_of_a_broadcast_are_as_many_as_there_are() -> None:
    assert of("BroadcastGradientArgs", values(4, 60, 1), values(4, 60, 32), static=(None,)) == (1,)


def test_a_computed_shape_is_trusted_where_the_batch_is_the_traced_one() -> None:
    assert of("Reshape", tensor(4, 60, 32), values(4, 60, 1), static=(None, None, 1)) == (4, 60, 1)


def test_a_constant_that_only_looks_like_the_batch_stays() -> None:
    assert of("Reshape", tensor(32), values(1, 32), static=(1, 32), batch=Batch(32, 128)) == (1, 32)


def value(kind: str, given: list[Known], output: Shape, **more: Any) -> tuple[int, ...] | None:
    op = Op("op", kind, shapes=(output,), dtypes=("int32",), **more)
    return compute(op, given, [output])[0]


def test_integers() -> None:
    assert value("Shape", [tensor(8, 3)], (2,)) == (8, 3)
    assert value("Mul", [values(2, 3), scalar(4)], (2,)) == (8, 12)
    assert value("Less", [scalar(3), scalar(4)], ()) == (1,)
    assert value("Prod", [values(2, 3, 4), values(0)], ()) == (24,)
    assert value("Pack", [scalar(2), scalar(3)], (2,)) == (2, 3)
    shrink = {"attributes": {"shrink_axis_mask": 1}}
    assert value("StridedSlice", [values(5, 6, 7), values(1), values(2), values(1)], (), **shrink) == (6,)
    assert value("BroadcastGradientArgs", [values(8, 3), values(3)], (0,)) == ()
    assert value("Max", [values(3, 9), values(0)], ()) == (9,)


def test_what_cannot_be_computed_is_not_guessed() -> None:
    assert value("Mul", [values(2, 3), tensor()], (2,)) is None
    assert value("FloorDiv", [scalar(2), scalar(0)], ()) is None
    assert value("Mystery", [scalar(2)], ()) is None
