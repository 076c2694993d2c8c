"""Layers of both Keras, as far as their attributes go."""

from __future__ import annotations

from types import SimpleNamespace
from typing import NoReturn

from whydied.inside.model import layer_structure


class Symbolic:
    """A symbolic tensor of Keras 2 has no truth and no length."""

    def __bool__(self) -> NoReturn:
        raise TypeError("symbolic")

    __len__ = __bool__


def test_layers_calls_and_weights_have_two_names() -> None:
    three = SimpleNamespace(_layers=[1], _inbound_nodes=[2], _trainable_variables=[3], _non_trainable_variables=[4])
    two = SimpleNamespace(
        _self_tracked_trackables=[1], _inbound_nodes_value=[2], _trainable_weights=[3], _non_trainable_weights=[4]
    )
    for layer in (three, two):
        assert layer_structure.inner(layer) == [1]
        assert layer_structure.nodes(layer) == [2]
        assert layer_structure.weights(layer) == [3, 4]


def test_a_single_tensor_is_not_asked_whether_it_is_true() -> None:
    tensor = Symbolic()
    assert layer_structure.tensors(SimpleNamespace(input_tensors=tensor), "input") == [tensor]
    assert layer_structure.tensors(SimpleNamespace(output_tensors=None, outputs=[tensor]), "output") == [tensor]
    assert layer_structure.tensors(SimpleNamespace(input_tensors=[]), "input") == []


def test_what_is_no_layer_has_nothing() -> None:
    assert layer_structure.inner(3) == layer_structure.nodes(None) == layer_structure.weights("a") == []
