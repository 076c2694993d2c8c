"""Layers of one model that have the same name: where each was made, and who called that; runs in the user's process,
after an exception.

Invariant: only what Keras' own frame holds is read, and the lines that were noted when the layers were made.
"""

from __future__ import annotations

from typing import Any

from whydied.inside.errors.framework.value_sources import is_layer
from whydied.inside.errors.stack_steps import Step, frame_of
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.model import layer_lines
from whydied.records import LayerNameTaken, NamedLayer

LARGEST_LAYERS = 12
_CHECKING = {"map_graph": ("operations",), "_map_graph_network": ("layers",), "add": ("layer",)}
"""Keras' functions that refuse a name, and their variables that hold the layers."""


def look(number: int, error: BaseException, steps: list[Step]) -> LayerNameTaken | None:
    step = steps[-1] if steps else None
    if step is None or step.file is not None or step.frame.f_code.co_name not in _CHECKING:
        return None
    seen: list[Any] = []
    for word in _CHECKING[step.frame.f_code.co_name]:
        value = step.get(word)
        seen += value if isinstance(value, list) else [value]
    if step.frame.f_code.co_name == "add":
        own = instance_dict(step.get("self"))
        listed = own.get("_layers", own.get("_self_tracked_trackables"))
        seen = [*(listed if isinstance(listed, list) else []), *seen]
    named: dict[str, list[Any]] = {}
    for one in seen:
        if is_layer(one):
            name = layer_lines.origin(one).name
            if name and not any(one is other for other in named.setdefault(name, [])):
                named[name].append(one)
    # A model asks for the names in the order of its layers; a Sequential for that of the last.
    taken = [name for name, layers in named.items() if len(layers) > 1]
    if not taken:
        return None
    return LayerNameTaken(link=number, name=taken[0], layers=[_named(one) for one in named[taken[0]][:LARGEST_LAYERS]])


def _named(layer: Any) -> NamedLayer:
    line, caller = layer_lines.layers.line(layer), layer_lines.layers.caller(layer)
    return NamedLayer(
        type=type(layer).__name__,
        made=frame_of(*line) if line is not None else None,
        caller=frame_of(*caller) if caller is not None else None,
    )
