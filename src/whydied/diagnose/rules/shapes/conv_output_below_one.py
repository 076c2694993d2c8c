"""A convolution or pooling has nothing left to slide over.

## What it detects
A layer whose window is larger than what it is given, so that its output would have a size below one.

## Why it happens
Each convolution without padding and each pooling makes the maps smaller; the image is smaller than the one that the
model was made for; channels and sizes are exchanged; the axis of the batch is missing.

## Evidence
The layer with its window, its padding and the line that made it, and the shape that it was given.

## How it is proved
Both sizes are read from the layer and its input. Certain where one change of the line that is told is left; likely
where a smaller window, padding and a larger input would all do, or the shape could not be had.

## Fix
`padding="same"`, a smaller window, a larger image: those with which the layers behind have something left. An Input
with its channels first is told as that.
"""

from __future__ import annotations

import re

import msgspec

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import Advice, Way, advised, capital, certainty_of, changes_of, nothing
from whydied.diagnose.errors.framework_error import FrameworkError, Shape, evidence_of, layer_words, shape_words
from whydied.diagnose.errors.misfit import misfit
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import LayerFacts
from whydied.shapes.keras_layers import output
from whydied.shapes.plan import through
from whydied.texts import shapes_and_types

_SAID = shapes_and_types.INPUT_SHAPE.pattern

MOST_TRIED = 128

ROLE = "explanation"
YIELDS_TO = ("uneven-batch", "partial-batch")


def check(case: Case) -> Finding | None:
    found = misfit(case)
    if found is None or found.kind != "below-one" or found.error.facts.layer is None:
        return None
    layer = found.error.facts.layer
    given = _given(found.error)
    advice = _advice(found.error, layer, given)
    frame = advice.frame or layer.made or found.error.facts.place
    place = case.locate(frame) if frame else case.locate_exception([found.error.link])
    return Finding(
        message=f"{prefix(place)}{_words(layer, given)}",
        certainty=certainty_of(advice, place) if given is not None else "likely",
        location=place,
        culprit=Culprit(kind="layer", name=layer.name, shape=given),
        evidence=evidence_of(found.error),
        advice=advice.sentences,
        changes=advice.changes,
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


def _advice(error: FrameworkError, layer: LayerFacts, given: Shape | None) -> Advice:
    first = _channels_first(error)
    if first:
        return first
    tried = [*_padded(error, layer, given), *_larger(error, layer)]
    shrinking = [
        layer_words(one)
        for one in error.facts.layers
        if one.name != layer.name and one.settings.keys() & {"pool_size", "kernel_size"}
    ]
    advice = [f"{capital('; or '.join(way.words for way in tried))}."] if tried else []
    if shrinking:
        advice.append(f"Other layers that shrink the feature maps: {', '.join(shrinking[-5:])}.")
    return Advice(advice, changes_of("layer", tried))


def _padded(error: FrameworkError, layer: LayerFacts, given: Shape | None) -> list[Way]:
    """Padding, and the largest window that still finds something, each tried on the layers behind."""
    spatial = [size for size in (given or [])[1:-1] if size is not None]
    found: list[Way] = []
    same = msgspec.structs.replace(layer, settings={**layer.settings, "padding": "same"})
    if layer.settings.get("padding", "valid") == "valid" and given is not None and _passes(error, same, given):
        edits = error_edits.setting(error, layer, "padding", '"same"')
        found.append(Way('`padding="same"` in it keeps the size', edits))
    word = next((one for one in ("kernel_size", "pool_size") if one in layer.settings), None)
    if word is not None and spatial:
        small = msgspec.structs.replace(layer, settings={**layer.settings, word: str((min(spatial),) * len(spatial))})
        if given is not None and _passes(error, small, given):
            edits = error_edits.setting(error, layer, word, str(min(spatial)))
            found.append(Way(f"`{word}={min(spatial)}` or less", edits))
    return found


def _passes(error: FrameworkError, changed: LayerFacts, given: Shape) -> bool:
    made = output(changed, [given])
    names = [one.name for one in error.facts.layers]
    if not isinstance(made, list):
        return False
    if changed.name not in names:
        return True
    behind = error.facts.layers[names.index(changed.name) :]
    return through(behind, {changed.name: made}, error.facts.model in ("", "Sequential")).refused is None


def _larger(error: FrameworkError, layer: LayerFacts) -> list[Way]:
    """The smallest sizes of the Input with which no layer is left without anything."""
    entrances = [one for one in error.facts.layers if one.type == "InputLayer"]
    shape = entrances[0].output_shape if len(entrances) == 1 else None
    if shape is None or len(shape) < 3:
        return []
    plan, chained = error.facts.layers, error.facts.model in ("", "Sequential")
    largest = max(one or 0 for one in shape[1:-1])
    for size in range(largest + 1, largest + MOST_TRIED):
        tried: Shape = [shape[0], *[size] * (len(shape) - 2), shape[-1]]
        passage = through(plan, {entrances[0].name: tried}, chained)
        if passage.refused is None:
            reached = layer.name in passage.outputs
            side = " x ".join([str(size)] * (len(shape) - 2))
            words = f"inputs of at least {side} ({layer_words(entrances[0])} declares {shape_words(shape[1:])})"
            # The data would have to be larger, too: an edit of the Input alone is half of it.
            return [Way(words)] * reached
    return []


def _channels_first(error: FrameworkError) -> Advice:
    """An Input whose first axis are the channels, for layers that take them last."""
    entrances = [one for one in error.facts.layers if one.type == "InputLayer"]
    shape = entrances[0].output_shape if len(entrances) == 1 else None
    if shape is None or len(shape) not in (4, 5) or shape[1] not in (1, 3, 4) or shape[-1] in (1, 3, 4):
        return nothing()
    turned: Shape = [shape[0], *shape[2:], shape[1]]
    passage = through(error.facts.layers, {entrances[0].name: turned}, error.facts.model in ("", "Sequential"))
    if passage.refused is not None:
        return nothing()
    order = (0, *range(2, len(shape)), 1)
    words = (
        f"{layer_words(entrances[0])} declares {shape_words(shape[1:])}, with the channels first; the layers take them "
        f"last: declare `{shape_words(turned[1:])}` and pass `np.transpose(x, {order})`."
    )
    title = f"declare `{shape_words(turned[1:])}` and pass `np.transpose(x, {order})`"
    edits = error_edits.turned(error, entrances[0], turned[1:], f"np.transpose({{x}}, {order})")
    return advised(words, "input-shape", Way(title, edits, error_edits.declaring(error, entrances[0], turned[1:])))
