"""What a model consists of, recorded at its first call and again where it was not built then; runs in the user's
process.

Invariant: attributes are read and nothing is called, as `layer_structure` says. No model is kept alive.
"""

from __future__ import annotations

import math
import weakref
from typing import Any

from whydied.inside import journal
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.model import layer_structure
from whydied.inside.model.open_calls import Call
from whydied.records import LayerSeen, ModelSeen

MOST_MODELS = 50
MOST_LAYERS = 300
_KINDS = ("fit", "evaluate", "predict")
_seen: weakref.WeakKeyDictionary[Any, bool] = weakref.WeakKeyDictionary()
"""Models, with whether all their layers were built."""
_written = 0


@guarded("model_summary.noted")
def noted(model: Any, call: Call | None) -> None:
    """A call of a model began."""
    global _written
    if call is None or call.kind not in _KINDS or _seen.get(model) or _written >= MOST_MODELS:
        return
    layers = [one for one in layer_structure.inner(model) if _is_layer(one)]
    told = [_layer(one) for one in layers[:MOST_LAYERS]]
    _seen[model] = all(one.parameters is not None for one in told)
    _written += 1
    own = instance_dict(model)
    journal.write(
        ModelSeen(
            model=layer_structure.name_of(model),
            type=type(model).__name__,
            call=call.number,
            layers=told,
            layers_left_out=max(0, len(layers) - MOST_LAYERS),
            optimizer=_word(own.get("optimizer", own.get("_optimizer"))),
            loss=_word(own.get("loss")),
        )
    )


def _is_layer(value: Any) -> bool:
    return "_inbound_nodes" in instance_dict(value) or "_inbound_nodes_value" in instance_dict(value)


def _layer(layer: Any) -> LayerSeen:
    own = instance_dict(layer)
    shape, dtype = _output(layer)
    is_built = bool(own.get("built", own.get("_built", False)))
    return LayerSeen(
        name=layer_structure.name_of(layer),
        type=type(layer).__name__,
        shape=shape,
        dtype=dtype,
        parameters=_parameters(layer, layer_structure.DEEPEST) if is_built else None,
        trainable=own.get("_trainable", True) is not False,
    )


def _output(layer: Any) -> tuple[list[int | None] | None, str]:
    for node in layer_structure.nodes(layer)[-1:]:
        for tensor in layer_structure.tensors(node, "output")[:1]:
            extents, dtype = _extents(tensor), getattr(tensor, "dtype", "")
            return extents, str(getattr(dtype, "name", dtype)) if extents is not None else ""
    return None, ""


def _extents(tensor: Any) -> list[int | None] | None:
    """The shape of a tensor or a weight of Keras 2 or 3; None where even its rank is not known."""
    shape = getattr(tensor, "shape", None)
    if shape is None or getattr(shape, "rank", 0) is None:
        return None
    return [one if isinstance(one, int) else None for one in shape]


def _parameters(layer: Any, depth: int) -> int:
    own = sum(_size(weight) for weight in layer_structure.weights(layer))
    return own + (sum(_parameters(one, depth - 1) for one in layer_structure.inner(layer)) if depth else 0)


def _size(weight: Any) -> int:
    return math.prod(one or 0 for one in _extents(weight) or [0])


def _word(value: Any) -> str:
    """A text as it is, anything else by the name of its class or function."""
    if value is None or isinstance(value, str):
        return value or ""
    name = getattr(value, "__name__", None)
    return name if isinstance(name, str) else type(value).__name__
