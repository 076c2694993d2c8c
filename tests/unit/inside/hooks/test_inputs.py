"""The name of what a session is fed, and the shape of a weight that a layer asks for."""

from __future__ import annotations

from whydied.inside.hooks import inputs


class Tensor:
    written = 0

    def __init__(self, name: str | None) -> None:
        self.name = name

    def __str__(self) -> str:
        Tensor.written += 1
        return "a long text"


def test_the_text_of_a_tensor_is_made_only_where_it_has_no_name() -> None:
    assert inputs._feed_name(Tensor("x:0")) == "x:0"
    assert Tensor.written == 0
    assert inputs._feed_name(Tensor(None)) == "a long text"


def test_an_open_axis_of_a_weight_is_left_to_keras() -> None:
    assert inputs.extents_of((5, 3)) == [5, 3]
    assert inputs.extents_of(7) == [7]
    assert inputs.extents_of((None, 3)) is None
    assert inputs.extents_of(None) is None
