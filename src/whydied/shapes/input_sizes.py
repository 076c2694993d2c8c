"""Sizes of a model's input that its layers accept, near to one that they refuse. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whydied.records import LayerFacts
from whydied.shapes.keras_layers import rounds
from whydied.shapes.plan import through
from whydied.shapes.shape import Shape

FARTHEST = 64


def nearest_sizes(
    layers: Sequence[LayerFacts], entrance: str, shape: Shape, axis: int, opened: bool = True
) -> list[int]:
    """The next smaller and the next larger size of one axis with which no layer refuses and none rounds: a size that is
    rounded on the way down is not what comes back on the way up. `opened` leaves what else lies between the batch and
    the channels open, so that no other axis is refused."""
    size = shape[axis]
    if size is None:
        return []
    tried_shape: Shape = [None, *[None] * (len(shape) - 2), shape[-1]] if opened else [*shape]
    found = []
    for step in (-1, 1):
        for by in range(1, FARTHEST + 1):
            tried = size + step * by
            if tried < 1:
                break
            tried_shape[axis] = tried
            passage = through(layers, {entrance: tried_shape}, chained=False)
            if not passage.is_known:
                return []
            exact = passage.refused is None
            if exact and not any(rounds(one, _given(one, passage.outputs)) for one in layers):
                found.append(tried)
                break
    return found


def _given(layer: LayerFacts, outputs: Mapping[str, Shape]) -> Shape | None:
    return outputs.get(layer.inputs[0]) if len(layer.inputs) == 1 else None


def common_divisor(sizes: Sequence[int]) -> int | None:
    """8 for 80 and 88: the number of which the sizes are multiples, where they are its next ones."""
    if len(sizes) != 2:
        return None
    step = abs(sizes[1] - sizes[0])
    return step if step > 1 and sizes[0] % step == 0 else None
