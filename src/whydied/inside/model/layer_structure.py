"""How a Keras layer lies in a model: the layers in it, its calls, their tensors, its weights, and what all layers of a
model give for each row; runs in the user's process.

Invariant: Keras 3 and Keras 2 keep these under different names, and both are looked for. Attributes that Keras
itself sets are read, nothing is called, and no tensor is asked whether it is true: symbolic ones of Keras 2 raise then.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from whydied.inside.guest.lookup import instance_dict
from whydied.inside.guest.value_facts import ITEM_BYTES
from whydied.records import LayerOutput

LARGEST_LAYERS = 2000
DEEPEST = 8
_LAYERS = ("_layers", "_self_tracked_trackables")
_NODES = ("_inbound_nodes", "_inbound_nodes_value")
_WEIGHTS = (("_trainable_variables", "_trainable_weights"), ("_non_trainable_variables", "_non_trainable_weights"))
_TENSORS = {"input": ("input_tensors", "keras_inputs"), "output": ("output_tensors", "outputs")}


def name_of(layer: Any) -> str:
    """What a layer or a model is called; its class where it has no name."""
    own = instance_dict(layer)
    name = own.get("name", own.get("_name"))
    return name if isinstance(name, str) else type(layer).__name__


def inner(layer: Any) -> list[Any]:
    """What a model or a layer holds as its layers, and other things that Keras tracks like them."""
    return _list(instance_dict(layer), _LAYERS)


def nodes(layer: Any) -> list[Any]:
    """The calls of a layer with symbolic tensors."""
    return _list(instance_dict(layer), _NODES)


def tensors(node: Any, side: str) -> list[Any]:
    """What went into a call ("input") or came out of it ("output")."""
    for name in _TENSORS[side]:
        value = getattr(node, name, None)
        found = list(value) if isinstance(value, (list, tuple)) else [value]
        if found and found[0] is not None:
            return found
    return []


def weights(layer: Any) -> list[Any]:
    """The layer's own weights, without those of the layers in it."""
    own = instance_dict(layer)
    return [weight for names in _WEIGHTS for weight in _list(own, names)]


def plan(model: Any) -> list[LayerOutput]:
    """The outputs of all layers, as Keras worked them out when the model was built; empty where one of them is not
    known, and of a subclassed model, which has none."""
    found: list[LayerOutput] = []
    for layer in _innermost(model, DEEPEST):
        output = _output(layer)
        if output is None or len(found) >= LARGEST_LAYERS:
            return []
        found.append(output)
    return found


def _innermost(model: Any, depth: int) -> Iterator[Any]:
    """The innermost layers that take part, each once."""
    for layer in _callable(model):
        if depth and any(nodes(one) for one in _callable(layer)):
            yield from _innermost(layer, depth - 1)
        else:
            yield layer


def _callable(layer: Any) -> list[Any]:
    return [one for one in inner(layer) if any(name in instance_dict(one) for name in _NODES)]


def _output(layer: Any) -> LayerOutput | None:
    elements, item = 0, 0
    for node in nodes(layer):
        for output in tensors(node, "output") or [None]:
            shape, dtype = getattr(output, "shape", None), getattr(output, "dtype", None)
            extents = list(shape)[1:] if shape is not None else [None]
            if not all(isinstance(extent, int) for extent in extents):
                return None
            elements += math.prod(extents)
            item = max(item, ITEM_BYTES.get(str(getattr(dtype, "name", dtype)), 4))
    return LayerOutput(type=type(layer).__name__, elements=elements, item_bytes=item) if nodes(layer) else None


def _list(own: dict[str, Any], names: tuple[str, ...]) -> list[Any]:
    found = (own.get(name) for name in names)
    return next((list(value) for value in found if isinstance(value, (list, tuple)) and value), [])
