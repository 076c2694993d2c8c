"""Reshapes that do not fit, losses and the sizes of an Input."""

from __future__ import annotations

from whydied.records import LayerFacts
from whydied.shapes import losses
from whydied.shapes.input_sizes import common_divisor, nearest_sizes
from whydied.shapes.reshapes import OtherSize, other_sizes


def test_one_size_that_would_have_to_be_another() -> None:
    assert other_sizes([1, 13, 13, 255], [-1, 13, 13, 3, 6]) == [OtherSize(4, 85, [1, 13, 13, 3, 85])]
    assert other_sizes([None, 8, 8, 16], [-1, 576]) == [OtherSize(1, 1024, [None, 1024])]
    assert other_sizes([28, 28], [16, 48]) == [OtherSize(1, 49, [16, 49])]


def test_nothing_is_offered_where_the_values_are_not_known() -> None:
    assert other_sizes([None, None], [-1, 576]) == []
    assert other_sizes([None, 6], [4, 7]) == []


def test_what_goes_with_an_output() -> None:
    assert losses.fits("mse", [32, 1], [32])
    assert losses.fits("sparse_categorical_crossentropy", [32], [32, 5])
    assert not losses.fits("sparse_categorical_crossentropy", [32, 5], [32, 5])
    assert not losses.fits("categorical_crossentropy", [32, 3], [32, 5])


def _layer(kind: str, name: str, *inputs: str, **settings: str) -> LayerFacts:
    return LayerFacts(name=name, type=kind, inputs=list(inputs), settings=settings)


def test_the_sizes_that_come_back_from_a_pooling() -> None:
    plan = [
        LayerFacts(name="picture", type="InputLayer", output_shape=[None, 42, 34, 1]),
        _layer("MaxPooling2D", "half", "picture", pool_size="(2, 2)", strides="(2, 2)"),
        _layer("MaxPooling2D", "quarter", "half", pool_size="(2, 2)", strides="(2, 2)"),
        _layer("UpSampling2D", "up", "quarter", size="(2, 2)"),
        _layer("Concatenate", "joined", "half", "up", axis="-1"),
    ]
    sizes = nearest_sizes(plan, "picture", [None, 42, 34, 1], 1)
    assert sizes == [40, 44]
    assert common_divisor(sizes) == 4
    assert nearest_sizes(plan, "picture", [None, None, 34, 1], 1) == []
