"""Settings of single layers with which the output of a model fits. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from whydied.records import LayerFacts
from whydied.shapes.plan import replaced, setting, through, with_setting
from whydied.shapes.shape import Shape

_SIZES = ("units", "filters", "n")
_PADDINGS = {"same": "valid", "valid": "same"}


class OtherSetting(NamedTuple):
    layer: LayerFacts
    name: str
    value: str
    output: Shape


def other_settings(
    layers: Sequence[LayerFacts], sizes: Sequence[int | None], fits: Callable[[Shape], bool], chained: bool
) -> Iterator[OtherSetting]:
    """Each setting of one layer that makes the output fit, from the last layer on: a number of units, filters or
    repetitions that is one of `sizes`, strides of 1, and the other padding. What stands there already is not tried."""
    for layer in reversed(layers):
        for name, value in _tried(layer, sizes):
            changed = with_setting(layer, name, value)
            passage = through(replaced(layers, changed), {}, chained)
            made = passage.outputs.get(layers[-1].name)
            if passage.refused is None and made is not None and fits(made):
                yield OtherSetting(layer, name, value, made)


def _tried(layer: LayerFacts, sizes: Sequence[int | None]) -> Iterator[tuple[str, str]]:
    for name in _SIZES:
        now = setting(layer, name)
        yield from ((name, str(size)) for size in dict.fromkeys(sizes) if now is not None and size and str(size) != now)
    strides = setting(layer, "strides")
    if strides is not None and "pool_size" not in layer.settings and strides.strip("(1, )"):
        yield "strides", "1"
    padding = _PADDINGS.get(setting(layer, "padding") or "")
    if padding is not None and "filters" in layer.settings:
        yield "padding", padding
