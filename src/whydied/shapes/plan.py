"""A model as a plan of layers, through which shapes are pushed. Pure.

A layer whose rule is not known gives what it gave in the program, as long as it is given the same; else nothing behind
it can be said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from whydied.records import LayerFacts
from whydied.shapes.keras_layers import output
from whydied.shapes.shape import Refusal, Shape, conforms


class Passage(NamedTuple):
    """What came of a plan. `outputs` by the names of layers; `refused` is the layer that took its input not, and
    why; `is_known` is False where an output could not be told."""

    outputs: dict[str, Shape]
    refused: tuple[LayerFacts, Refusal] | None = None
    is_known: bool = True


def through(layers: Sequence[LayerFacts], given: Mapping[str, Shape], chained: bool = True) -> Passage:
    """Push shapes through layers in their order. `given` are the shapes of the Inputs, by name, and of any other layer
    that is to be taken as it is. `chained` says that a layer of which nothing else is known is fed by the one before
    it, as in a Sequential."""
    outputs: dict[str, Shape] = {}
    known = True
    before = ""
    for layer in layers:
        shape = given.get(layer.name)
        if shape is None and layer.type == "InputLayer":
            shape = layer.output_shape
        if shape is None:
            inputs = _inputs(layer, before if chained else "", outputs)
            answer = output(layer, inputs) if inputs is not None else None
            if isinstance(answer, Refusal):
                return Passage(outputs, (layer, answer), known)
            shape = answer if answer is not None else _as_before(layer, inputs)
        if shape is None:
            known = False
        else:
            outputs[layer.name] = shape
        before = layer.name
    return Passage(outputs, None, known)


def replaced(layers: Iterable[LayerFacts], other: LayerFacts) -> list[LayerFacts]:
    """The plan with one layer changed, found by its name."""
    return [other if layer.name == other.name else layer for layer in layers]


def with_setting(layer: LayerFacts, name: str, value: str) -> LayerFacts:
    """A layer with another setting; of a wrapper that has it not, the layer inside."""
    if name not in layer.settings and layer.wrapped is not None:
        return msgspec.structs.replace(layer, wrapped=with_setting(layer.wrapped, name, value))
    return msgspec.structs.replace(layer, settings={**layer.settings, name: value})


def setting(layer: LayerFacts, name: str) -> str | None:
    found = layer.settings.get(name)
    return found if found is not None or layer.wrapped is None else layer.wrapped.settings.get(name)


def _inputs(layer: LayerFacts, before: str, outputs: Mapping[str, Shape]) -> list[Shape] | None:
    """What a layer is given: the outputs of those that feed it, else of the one before it."""
    names = layer.inputs or ([before] if before else [])
    found = [outputs[name] for name in names if name in outputs]
    return found if found and len(found) == len(names) else None


def _as_before(layer: LayerFacts, inputs: Sequence[Shape] | None) -> Shape | None:
    same = inputs is not None and len(inputs) == 1 and layer.input_shape is not None
    if not same or inputs is None or layer.input_shape is None:
        return None
    return layer.output_shape if conforms(inputs[0], layer.input_shape) else None
