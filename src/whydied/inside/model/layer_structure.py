"""How a Keras layer lies in a model: the layers in it, its calls, their tensors, its weights; runs in the user's
process.

Invariant: Keras 3 and Keras 2 keep these under different names, and both are looked for. Attributes that Keras
itself sets are read, nothing is called, and no tensor is asked whether it is true: symbolic ones of Keras 2 raise then.
"""

from __future__ import annotations

from typing import Any

from whydied.inside.guest.lookup import instance_dict

_LAYERS = ("_layers", "_self_tracked_trackables")
_NODES = ("_inbound_nodes", "_inbound_nodes_value")
_WEIGHTS = (("_trainable_variables", "_trainable_weights"), ("_non_trainable_variables", "_non_trainable_weights"))
_TENSORS = {"input": ("input_tensors", "keras_inputs"), "output": ("output_tensors", "outputs")}


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


def _list(own: dict[str, Any], names: tuple[str, ...]) -> list[Any]:
    found = (own.get(name) for name in names)
    return next((list(value) for value in found if isinstance(value, (list, tuple)) and value), [])
