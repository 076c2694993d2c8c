"""Keras layers as facts: settings, shapes, what feeds them, the line that made them; runs in the user's process, after
an exception.

Invariant: layers are only read, by attributes that Keras itself sets.
"""

from __future__ import annotations

from typing import Any

from whydied.inside.errors.framework.value_sources import is_layer, line_of_layer
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.guest.value_facts import describe
from whydied.inside.model import layer_structure
from whydied.records import LayerFacts

LARGEST_LAYERS = 60
LARGEST_INPUTS = 6
LARGEST_BEHIND = 200
_SETTINGS = (
    *(
        "units",
        "filters",
        "kernel_size",
        "strides",
        "padding",
        "pool_size",
        "data_format",
        "target_shape",
        "activation",
    ),
    *("axis", "input_dim", "output_dim", "return_sequences", "return_state", "dilation_rate", "n", "dims", "size"),
    *("depth_multiplier", "keepdims", "merge_mode", "stateful"),
)
_WRAPPED = ("forward_layer", "layer")


def layer_facts(layer: Any) -> LayerFacts:
    own = instance_dict(layer)
    settings = {word: shown for word in _SETTINGS if (shown := _setting(own.get(word, own.get(f"_{word}"))))}
    units = _setting(instance_dict(own.get("cell")).get("units"))
    if units is not None:
        settings.setdefault("units", units)
    return LayerFacts(
        name=_name(layer),
        type=type(layer).__name__,
        input_shape=side_of(layer, "input"),
        output_shape=side_of(layer, "output"),
        settings=settings,
        made=line_of_layer(layer),
        is_model=is_model(layer),
        inputs=_fed_by(layer),
        wrapped=_wrapped(own),
    )


def _fed_by(layer: Any) -> list[str]:
    """The names of the layers whose outputs went into the first call of a layer."""
    for node in layer_structure.nodes(layer)[:1]:
        found = [maker(tensor) for tensor in layer_structure.tensors(node, "input")]
        return [_name(one) for one in found[:LARGEST_INPUTS]] if all(one is not None for one in found) else []
    return []


def _name(layer: Any) -> str:
    own = instance_dict(layer)
    name = own.get("_name") or own.get("name")
    return name if isinstance(name, str) else type(layer).__name__


def _wrapped(own: dict[str, Any]) -> LayerFacts | None:
    inner = next((own[word] for word in _WRAPPED if own.get(word) is not None), None)
    return layer_facts(inner) if inner is not None and is_layer(inner) else None


def _setting(value: Any) -> str | None:
    if type(value) in (int, bool, str):
        return str(value)
    if type(value) in (tuple, list) and all(type(part) is int for part in value):
        return str(tuple(value))
    name = getattr(value, "__name__", None)
    return name if isinstance(name, str) and callable(value) else None


def side_of(layer: Any, side: str) -> list[int | None] | None:
    """The shape of a layer's first input or output, from the tensors that its calls left."""
    for node in layer_structure.nodes(layer)[:1]:
        tensors = layer_structure.tensors(node, side)
        return describe(tensors[0]).shape if tensors else None
    outer = instance_dict(layer).get("_functional")
    found = [instance_dict(one).get(f"_{side}s") for one in (outer, layer)]
    listed = next((tensors for tensors in found if isinstance(tensors, list) and tensors), None)
    return describe(listed[0]).shape if listed is not None else None


def is_model(layer: Any) -> bool:
    names = {kind.__name__ for kind in type.__dict__["__mro__"].__get__(type(layer))}
    return bool(names & {"Model", "Functional", "Sequential"})


def layers_of(model: Any) -> list[LayerFacts]:
    return [layer_facts(layer) for layer in layer_structure.inner(model)[:LARGEST_LAYERS] if is_layer(layer)]


def layers_behind(tensors: list[Any]) -> list[LayerFacts]:
    """The layers that symbolic tensors came through, each behind those that feed it: a model that is still being
    written has no list of its own."""
    order: list[Any] = []
    seen: set[int] = set()
    pending = [(maker(tensor), False) for tensor in tensors]
    while pending:
        layer, is_done = pending.pop()
        if layer is None or (id(layer) in seen and not is_done):
            continue
        if is_done:
            order.append(layer)
            continue
        if len(seen) >= LARGEST_BEHIND:
            return []
        seen.add(id(layer))
        pending.append((layer, True))
        for node in layer_structure.nodes(layer)[:1]:
            pending += [(maker(tensor), False) for tensor in layer_structure.tensors(node, "input")]
    return [layer_facts(layer) for layer in order]


def maker(tensor: Any) -> Any:
    """The layer that a symbolic tensor came out of."""
    history = getattr(tensor, "_keras_history", None)
    maker = getattr(history, "operation", getattr(history, "layer", None))
    return maker if maker is not None and is_layer(maker) else None
