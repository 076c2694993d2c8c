"""A convolution or pooling has nothing left to slide over.

## What it detects
A layer whose window is larger than what it is given, so that its output would have a size below one.

## Why it happens
Each convolution without padding and each pooling makes the maps smaller; the image is smaller than the one that the
model was made for; channels and sizes are exchanged; the axis of the batch is missing.

## Evidence
The layer with its window, its padding and the line that made it, and the shape that it was given.

## How it is proved
Both sizes are read from the layer and its input: certain. Where the shape could not be had: likely.

## Fix
`padding="same"`, fewer poolings, a larger image.
"""

from __future__ import annotations

import re

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.framework_error import FrameworkError, Shape, evidence_of, layer_words, shape_words
from whydied.diagnose.errors.misfit import misfit
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import LayerFacts
from whydied.texts import shapes_and_types

_SAID = shapes_and_types.INPUT_SHAPE.pattern

ROLE = "explanation"
YIELDS_TO = ("uneven-batch",)


def check(case: Case) -> Finding | None:
    found = misfit(case)
    if found is None or found.kind != "below-one" or found.error.facts.layer is None:
        return None
    layer = found.error.facts.layer
    frame = layer.made or found.error.facts.place
    place = case.locate(frame) if frame else case.locate_exception([found.error.link])
    given = _given(found.error)
    return Finding(
        message=f"{prefix(place)}{_words(layer, given)}",
        certainty="certain" if given is not None else "likely",
        location=place,
        culprit=Culprit(kind="layer", name=layer.name, shape=given),
        evidence=evidence_of(found.error),
        advice=_advice(found.error, layer),
    )


def _given(error: FrameworkError) -> Shape | None:
    shaped = [party.shape for party in error.of_role("input", "operand") if party.shape]
    if shaped:
        return shaped[0]
    if error.facts.feeding is not None and error.facts.feeding.output_shape is not None:
        return error.facts.feeding.output_shape
    said = _SAID.search(error.message)
    words = re.split(r"[,\s]+", (said[1] or said[2] or "").strip()) if said else []
    return [int(word) if word.isdigit() else None for word in words if word] or None


def _words(layer: LayerFacts, given: Shape | None) -> str:
    sort = "kernel" if "kernel_size" in layer.settings else "window"
    window = layer.settings.get("kernel_size") or layer.settings.get("pool_size")
    padding = layer.settings.get("padding", "valid")
    size = f"a {sort} of {window} with padding {padding!r}" if window else "a window"
    shown = shape_words(given) if given is not None else "a smaller input"
    return f"{layer_words(layer)} has {size} but its input is {shown}: the output would be empty"


def _advice(error: FrameworkError, layer: LayerFacts) -> list[str]:
    shrinking = [
        layer_words(one)
        for one in error.facts.layers
        if one.name != layer.name and one.settings.keys() & {"pool_size", "kernel_size"}
    ]
    advice = ['`padding="same"` keeps the size; or use larger images, or a smaller window.']
    if shrinking:
        advice.append(f"Other layers that shrink the feature maps: {', '.join(shrinking[-5:])}.")
    return advice
