"""Changes of one of several inputs of a layer, each tried on the layer's rule. Pure."""

from __future__ import annotations

from whydied.diagnose.errors import error_edits
from whydied.diagnose.errors.advice import Advice, Way, either, nothing
from whydied.diagnose.errors.framework_error import FrameworkError, Shape, shape_words
from whydied.records import Party
from whydied.shapes.changes import Change, changes
from whydied.shapes.keras_layers import output
from whydied.shapes.shape import Refusal

MOST_OFFERED = 2


def joined_changes(error: FrameworkError) -> Advice:
    """The smallest changes with which the layer accepts its inputs; empty where its rule is not known."""
    layer = error.facts.layer
    parties = [party for party in error.of_role("input") if party.shape is not None]
    shapes: list[Shape] = [party.shape for party in parties if party.shape is not None]
    if layer is None or len(parties) < 2 or not isinstance(output(layer, shapes), Refusal):
        return nothing()
    found: list[tuple[Change, int, Shape]] = []
    for at, party in enumerate(parties):
        for change in changes(shapes[at]) if party.text else ():
            made = output(layer, [*shapes[:at], change.shape, *shapes[at + 1 :]])
            if isinstance(made, list) and made[:1] == shapes[at][:1]:
                found.append((change, at, made))
    found.sort(key=lambda one: one[0].cost)
    cheapest = [one for one in found if one[0].cost == found[0][0].cost][:MOST_OFFERED] if found else []
    return either("operand", [_way(error, parties, *one) for one in cheapest])


def _way(error: FrameworkError, parties: list[Party], change: Change, at: int, made: Shape) -> Way:
    party = parties[at]
    # Keras 3 has functions of its own for the tensors of a model that is being built.
    symbolic = party.type.startswith("keras.") and party.type.endswith("KerasTensor")
    code = change.code.replace("tf.", "keras.ops.", 1) if symbolic else change.code
    meaning = f", {change.meaning}" if change.meaning else ""
    words = f"`{code.format(x=party.text)}` makes it {shape_words(change.shape)}{meaning}, and the result is "
    return Way(f"{words}{shape_words(made)}", error_edits.operand(error, [one.text for one in parties], at, code))
