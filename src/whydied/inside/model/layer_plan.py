"""What the layers of a model that is called eagerly give for each row, as Keras worked it out when the model was built;
runs in the user's process.

Invariant: nothing is called or computed, only what layers keep of their symbolic outputs is read, once for each
model. A model that has none (a subclassed one) has no plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from whydied.inside.guest.lookup import instance_dict
from whydied.records import LayerOutput

LARGEST_LAYERS = 2000
DEEPEST = 8
_LISTS = ("_layers", "_self_tracked_trackables")
_NODES = ("_inbound_nodes", "_inbound_nodes_value")


def plan(model: Any) -> list[LayerOutput]:
    """The outputs of all layers; empty where one of them is not known."""
    found: list[LayerOutput] = []
    for layer in _layers(model, DEEPEST):
        output = _output(layer)
        if output is None or len(found) >= LARGEST_LAYERS:
            return []
        found.append(output)
    return found


def _layers(model: Any, depth: int) -> Iterator[Any]:
    """The innermost layers that take part, each once."""
    for layer in _own(model):
        if depth and _own(layer) and any(_nodes(inner) for inner in _own(layer)):
            yield from _layers(layer, depth - 1)
        else:
            yield layer


def _own(layer: Any) -> list[Any]:
    kept = instance_dict(layer)
    for name in _LISTS:
        if name in kept:
            return [one for one in list(kept[name]) if any(word in instance_dict(one) for word in _NODES)]
    return []


def _nodes(layer: Any) -> list[Any]:
    kept = instance_dict(layer)
    return next((list(kept[name]) for name in _NODES if name in kept), [])


def _output(layer: Any) -> LayerOutput | None:
    nodes = _nodes(layer)
    elements, item = 0, 0
    for node in nodes:
        kept = instance_dict(node)
        outputs = kept.get("output_tensors", kept.get("outputs"))
        for output in outputs if isinstance(outputs, (list, tuple)) else [outputs]:
            shape, dtype = getattr(output, "shape", None), getattr(output, "dtype", None)
            if shape is None:
                return None
            count = 1
            for extent in list(shape)[1:]:
                if not isinstance(extent, int):
                    return None
                count *= extent
            elements += count
            item = max(item, _ITEM.get(str(getattr(dtype, "name", dtype)), 4))
    return LayerOutput(type=type(layer).__name__, elements=elements, item_bytes=item) if nodes else None


_ITEM = {"float64": 8, "int64": 8, "float16": 2, "bfloat16": 2, "int16": 2, "int8": 1, "uint8": 1, "bool": 1}
