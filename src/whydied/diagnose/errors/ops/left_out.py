"""A layer that only cuts, pads or pools what passes, and without which values that are joined fit each other. Pure.

The whole plan is pushed through without it: what is behind it must accept what comes then, and the layer that joins
must give a shape. A layer that the other side passed as well changes both and is no candidate.
"""

from __future__ import annotations

import ast

import msgspec

from whydied.diagnose.errors.advice import Advice, Way, either, nothing, source_at
from whydied.diagnose.errors.error_edits import Edits, layer_made
from whydied.diagnose.errors.framework_error import FrameworkError, layer_words, shape_words
from whydied.records import LayerFacts
from whydied.shapes.plan import through
from whydied.source.edits.edit import over, written_in
from whydied.source.trees import nodes_on

CUTTING = ("Cropping1D", "Cropping2D", "Cropping3D", "ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D")
POOLING = tuple(f"{kind}Pooling{rank}D" for kind in ("Max", "Average") for rank in (1, 2, 3))
_MOST_OFFERED = 2


def left_out(error: FrameworkError, plan: list[LayerFacts], join: LayerFacts, kinds: tuple[str, ...]) -> Advice:
    """The layers of these kinds, each of which alone makes the join accept its inputs when it is left out. `plan` ends
    with the join, whose inputs are known."""
    if len(join.inputs) != 2:
        return nothing()
    sides = [_behind(plan, name) for name in join.inputs]
    ways: list[Way] = []
    for layer in reversed(plan):
        on = [layer.name in side for side in sides]
        if layer.type not in kinds or on[0] == on[1] or len(layer.inputs) != 1:
            continue
        passage = through(_without(plan, layer), {}, chained=False)
        made = passage.outputs.get(join.name)
        if passage.refused is None and made is not None:
            words = f"without {layer_words(layer)} the values fit, and are joined to {shape_words(made)}"
            ways.append(Way(words, _edits(error, layer), layer.made))
    return either("layer", ways) if len(ways) <= _MOST_OFFERED else nothing()


def _behind(plan: list[LayerFacts], name: str) -> set[str]:
    """A layer and all that feed it."""
    found = {name}
    for layer in reversed(plan):
        if layer.name in found:
            found |= set(layer.inputs)
    return found


def _without(plan: list[LayerFacts], layer: LayerFacts) -> list[LayerFacts]:
    """The plan in which the layers behind one are fed by what fed it."""
    fed = layer.inputs[0]
    return [
        msgspec.structs.replace(one, inputs=[fed if name == layer.name else name for name in one.inputs])
        for one in plan
        if one.name != layer.name
    ]


def _edits(error: FrameworkError, layer: LayerFacts) -> Edits:
    """What a layer is called on in the place of the call."""
    found, source = layer_made(error, layer), source_at(error.sources, layer.made)
    if found is None or source is None or layer.made is None:
        return None
    for node in nodes_on(source, layer.made.line):
        if isinstance(node, ast.Call) and node.func is found and len(node.args) == 1 and not node.keywords:
            return [over(source, layer.made.file, node, written_in(source, node.args[0]))]
    return None
