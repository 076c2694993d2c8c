"""Which data and which layers of a model stand behind what failed. Pure."""

from __future__ import annotations

from whydied.diagnose.errors.framework_error import FrameworkError
from whydied.records import LayerFacts, Party

_KEEP_WIDTH = ("Activation", "Softmax", "ReLU", "LeakyReLU", "Dropout", "BatchNormalization", "LayerNormalization")


def data_behind(error: FrameworkError, party: Party) -> Party:
    """The data that were passed to a call, where they are what a layer was given a batch of; else the value itself."""
    if not error.facts.call or party.role != "input":
        return party
    shape = party.shape or []
    for given in error.of_role("x", "element"):
        if given.shape is not None and len(given.shape) == len(shape) and given.shape[1:] == shape[1:]:
            return given
    return party


def last_layer(error: FrameworkError) -> LayerFacts | None:
    """The layer that gives the model's output its width."""
    output = next(iter(error.of_role("output")), None)
    shape = output.shape if output is not None else None
    for layer in reversed(error.facts.layers):
        if layer.type in _KEEP_WIDTH:
            continue
        fits = shape is None or layer.output_shape is None or layer.output_shape[-1:] == shape[-1:]
        return layer if fits else None
    return None


def input_layer(error: FrameworkError) -> LayerFacts | None:
    """The Input that says what the model wants, where its line is known and there is only one."""
    found = [layer for layer in error.facts.layers if layer.type == "InputLayer"]
    return found[0] if len(found) == 1 and found[0].made is not None else None


def input_layers(error: FrameworkError) -> list[LayerFacts]:
    """The Inputs of the model, in the order of its layers."""
    return [layer for layer in error.facts.layers if layer.type == "InputLayer"]
