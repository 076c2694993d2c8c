from __future__ import annotations

from typing import NamedTuple

from whydied.inside.errors.sessions.op_names import near


class Tensor:
    def __init__(self, readers: list[Op]) -> None:
        self.readers = readers

    def consumers(self) -> list[Op]:
        return self.readers


class Op(NamedTuple):
    name: str
    type: str
    inputs: list[Tensor]
    outputs: list[Tensor]


class Graph(NamedTuple):
    ops: list[Op]

    def get_operations(self) -> list[Op]:
        return self.ops


def _graph() -> Graph:
    """`net/fc1`: a kernel, a product and a sum, which the loss reads."""
    loss = Op("loss", "Mean", [Tensor([])], [Tensor([])])
    added = Op("net/fc1/BiasAdd", "BiasAdd", [Tensor([])], [Tensor([loss])])
    product = Op("net/fc1/MatMul", "MatMul", [Tensor([])], [Tensor([added])])
    kernel = Op("net/fc1/kernel", "VarHandleOp", [], [Tensor([product])])
    picture = Op("pictures", "Placeholder", [], [Tensor([product])])
    return Graph([picture, kernel, product, added, loss])


def test_the_name_of_a_layer_is_that_of_what_its_scope_gives() -> None:
    assert near("fc1:0", _graph())[0] == "net/fc1/BiasAdd:0"
    assert near("fc1", _graph())[0] == "net/fc1/BiasAdd"


def test_the_end_of_a_name_comes_first() -> None:
    assert near("MatMul:0", _graph())[0] == "net/fc1/MatMul:0"


def test_a_feed_is_a_placeholder() -> None:
    assert near("picture", _graph(), "Placeholder") == ["pictures"]


def test_what_is_not_a_name_is_like_none() -> None:
    assert near(3, _graph()) == []
    assert near("scores", _graph()) == []
