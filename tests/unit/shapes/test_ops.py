"""What ops accept, and changes of shapes that they then accept."""

from __future__ import annotations

import pytest

from whydied.shapes import ops
from whydied.shapes.changes import changes
from whydied.shapes.shape import Refusal, Shape, broadcast


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [([4, 1], [3], [4, 3]), ([None, 3], [3], [None, 3]), ([2, 3], [3, 2], None), ([], [5], [5])],
)
def test_broadcasting(first: Shape, second: Shape, expected: Shape | None) -> None:
    found = broadcast(first, second)
    assert found == expected if expected is not None else isinstance(found, Refusal)


@pytest.mark.parametrize(
    ("op", "shapes", "expected"),
    [
        (ops.Op("MatMul"), [[2, 3], [3, 4]], [2, 4]),
        (ops.Op("MatMul", flips=(False, True)), [[2, 3], [4, 3]], [2, 4]),
        (ops.Op("BatchMatMulV2"), [[5, 2, 3], [3, 4]], [5, 2, 4]),
        (ops.Op("ConcatV2", axis=-1), [[2, 3], [2, 4]], [2, 7]),
        (ops.Op("Pack"), [[2, 3], [2, 3]], [2, 2, 3]),
        (ops.Op("Conv2D"), [[1, 8, 8, 3], [3, 3, 3, 6]], None),
    ],
)
def test_what_comes_out(op: ops.Op, shapes: list[Shape], expected: Shape | None) -> None:
    assert ops.result(op, shapes) == expected


@pytest.mark.parametrize(
    ("op", "shapes"),
    [
        (ops.Op("MatMul"), [[2, 3], [4, 3]]),
        (ops.Op("MatMul"), [[20, 20], [20]]),
        (ops.Op("ConcatV2", axis=0), [[2, 3], [2, 4]]),
        (ops.Op("Pack"), [[2, 3], [2]]),
    ],
)
def test_what_is_refused(op: ops.Op, shapes: list[Shape]) -> None:
    assert isinstance(ops.result(op, shapes), Refusal)


def test_changes_are_what_they_say() -> None:
    found = {change.code: change.shape for change in changes([3, 1], wanted=[1, 3, 1])}
    assert found["tf.expand_dims({x}, -1)"] == [3, 1, 1]
    assert found["tf.squeeze({x}, -1)"] == [3]
    assert found["tf.transpose({x})"] == [1, 3]
    assert found["tf.reshape({x}, [1, 3, 1])"] == [1, 3, 1]


def test_the_samples_of_pictures_become_rows() -> None:
    found = {change.kind: (change.code, change.shape) for change in changes([None, 28, 28])}
    assert found["flatten"] == ("tf.reshape({x}, [-1, 784])", [None, 784])
    kinds = [change.kind for shape in ([None, 784], [None, None, 28]) for change in changes(shape)]
    assert "flatten" not in kinds
