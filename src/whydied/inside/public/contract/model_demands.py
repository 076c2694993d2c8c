"""What a Keras model and its loss ask of their data; runs in the user's process.

Invariant: nothing is called but accessors of Keras itself: the model's own dictionary is read, so a property
that the user overrides does not run. What cannot be known (the inputs of a subclassed model) is not guessed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whydied.inside.guest.lookup import instance_dict
from whydied.inside.model import layer_structure
from whydied.inside.public.contract.data_parts import Leaf
from whydied.inside.public.contract.row_checks import Check
from whydied.words import contract_terms

_SPARSE = frozenset({"sparse_categorical_crossentropy"})
_CATEGORICAL = frozenset({"categorical_crossentropy", "categorical_focal_crossentropy"})
_BINARY = frozenset({"binary_crossentropy", "binary_focal_crossentropy"})
_SHORT = {"bce": "binary_crossentropy"}
_LARGEST_LAYERS = 2000


class Slot(NamedTuple):
    """A place for data: the names that it goes by, and what is asked there."""

    names: frozenset[str]
    checks: tuple[Check, ...]


class Contract(NamedTuple):
    inputs: tuple[Slot, ...] = ()
    targets: tuple[Slot, ...] = ()


def contract_of(model: Any) -> Contract:
    own = _graph_of(model)
    loss = _unwrapped(instance_dict(model).get("loss"))
    return Contract(tuple(_inputs(own) or _first_layer(own)), tuple(_targets(own, loss)))


def checks_for(leaf: Leaf, slots: tuple[Slot, ...], default: tuple[Check, ...]) -> tuple[Check, ...]:
    """What is asked of a leaf: by name, by position, or because it is the only one."""
    for slot in slots:
        if isinstance(leaf.key, str) and leaf.key in slot.names:
            return slot.checks
    if isinstance(leaf.key, int) and leaf.key < len(slots):
        return slots[leaf.key].checks
    if leaf.key is None and len(slots) == 1:
        return slots[0].checks
    return default


def any_data() -> tuple[Check, ...]:
    """What is asked of data of which nothing else is known."""
    return (Check(contract_terms.finite("input")),)


def target_checks(loss: Any, width: int | None) -> tuple[Check, ...]:
    """What a loss asks of its targets, the last extent of the predictions being `width`."""
    name, title = loss_name(loss), _title(loss)
    found = [Check(contract_terms.finite("loss", title))]
    if name in _SPARSE and width is not None and width > 1:
        ignored = instance_dict(loss).get("ignore_class")
        spared = [float(ignored)] if isinstance(ignored, int) else []
        found.append(Check(contract_terms.classes(width, "loss", f"{title} over {width} outputs", spared)))
    elif name in _CATEGORICAL and width is not None and width > 1:
        found.append(Check(contract_terms.one_hot(width, "loss", title)))
    elif name in _BINARY:
        found.append(Check(contract_terms.within(0, 1, "loss", title)))
    return tuple(found)


def loss_name(loss: Any) -> str:
    """`sparse_categorical_crossentropy`, however the loss was given."""
    if isinstance(loss, str):
        text = loss
    else:
        function = instance_dict(loss).get("fn") or loss
        text = getattr(function, "__name__", None) or type(loss).__name__
        if not isinstance(text, str):
            return ""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in text).lstrip("_")
    return _SHORT.get(snake, snake)


def _title(loss: Any) -> str:
    if isinstance(loss, str):
        return loss
    name = getattr(loss, "__name__", None)
    return name if isinstance(name, str) else type(loss).__name__


def _graph_of(model: Any) -> dict[str, Any]:
    """The dictionary of a functional model, or of the one inside of a Sequential."""
    own = instance_dict(model)
    inner = own.get("_functional")
    return instance_dict(inner) if inner is not None else own


def _unwrapped(value: Any) -> Any:
    """A container that a model holds, without the wrapper in which TensorFlow tracks it."""
    name = type(value).__name__
    if name in ("_DictWrapper", "_TupleWrapper"):
        return value.__wrapped__
    return list(value) if name == "ListWrapper" else value


def _tensors(value: Any) -> list[Any]:
    value = _unwrapped(value)
    return list(value) if type(value) in (list, tuple) else []


def _first_layer(own: dict[str, Any]) -> list[Slot]:
    """A Sequential that was not built yet says at least what its first layer takes."""
    layers = _tensors(own.get("_layers", own.get("_self_tracked_trackables")))
    # The second name is that of a Sequential of Keras 2.
    if not {"_functional", "_has_explicit_input_shape"} & own.keys() or not layers:
        return []
    if type(layers[0]).__name__ != "Embedding":
        return []
    return [Slot(frozenset(), tuple(_vocabulary([layers[0]])))]


def _inputs(own: dict[str, Any]) -> list[Slot]:
    tensors = _tensors(own.get("_inputs", own.get("inputs")))
    structure = _unwrapped(own.get("_inputs_struct", own.get("_nested_inputs")))
    keys = {id(tensor): key for key, tensor in structure.items()} if type(structure) is dict else {}
    found = []
    for tensor in tensors:
        names = {str(keys[id(tensor)])} if id(tensor) in keys else set()
        name = getattr(tensor, "name", None)
        names |= {name} if isinstance(name, str) else set()
        source = f"input {name!r}" if len(tensors) > 1 else "the model's input"
        found.append(Slot(frozenset(names), _asked(tensor, own, source)))
    return found


def _asked(tensor: Any, own: dict[str, Any], source: str) -> tuple[Check, ...]:
    extents = _extents(tensor)
    dtype = _dtype(tensor)
    found = []
    if extents is not None:
        text = " ".join(["batch", *("_" if extent is None else str(extent) for extent in extents[1:])])
        found.append(Check(contract_terms.shape(text, "input", source)))
    if dtype == "string":
        found.append(Check(contract_terms.dtype("string", "input", source)))
    elif "float" in dtype:
        found.append(Check(contract_terms.finite("input", source)))
    layers = own.get("_layers") or own.get("_self_tracked_trackables") or ()
    fed = [layer for layer in list(layers)[:_LARGEST_LAYERS] if type(layer).__name__ == "Embedding"]
    return (*found, *_vocabulary([layer for layer in fed if any(one is tensor for one in _fed_to(layer))]))


def _vocabulary(layers: list[Any]) -> list[Check]:
    """The smallest table that the ids are looked up in."""
    sizes = [(instance_dict(layer).get("input_dim"), layer) for layer in layers]
    known = [(size, layer) for size, layer in sizes if isinstance(size, int) and size > 0]
    if not known:
        return []
    size, layer = min(known, key=lambda pair: pair[0])
    title = f"Embedding {layer_structure.name_of(layer)!r} of {size:,} rows"
    return [Check(contract_terms.vocabulary(size, "embedding", title))]


def _fed_to(layer: Any) -> list[Any]:
    return [tensor for node in layer_structure.nodes(layer) for tensor in layer_structure.tensors(node, "input")]


def _targets(own: dict[str, Any], loss: Any) -> list[Slot]:
    tensors = _tensors(own.get("_outputs", own.get("outputs")))
    if not tensors:
        return (
            [Slot(frozenset(), target_checks(loss, None))]
            if loss is not None and type(loss) not in (list, tuple, dict)
            else []
        )
    structure = _unwrapped(own.get("_outputs_struct", own.get("_nested_outputs")))
    keys = {id(tensor): str(key) for key, tensor in structure.items()} if type(structure) is dict else {}
    found = []
    for at, tensor in enumerate(tensors):
        names = {name for name in (keys.get(id(tensor)), _maker(tensor)) if name}
        mine = _loss_at(loss, at, names)
        extents = _extents(tensor)
        width = extents[-1] if extents and len(extents) > 1 else None
        found.append(Slot(frozenset(names), target_checks(mine, width) if mine is not None else ()))
    return found


def _loss_at(loss: Any, at: int, names: set[str]) -> Any:
    if type(loss) in (list, tuple):
        return loss[at] if at < len(loss) else None
    if type(loss) is dict:
        return next((loss[name] for name in names if name in loss), None)
    return loss


def _maker(tensor: Any) -> str | None:
    """The layer that gives an output, by whose name losses and targets go."""
    history = getattr(tensor, "_keras_history", None)
    layer = history[0] if isinstance(history, tuple) and history else None
    return layer_structure.name_of(layer) if layer is not None else None


def _extents(tensor: Any) -> list[int | None] | None:
    try:
        return [None if extent is None else int(extent) for extent in tensor.shape]
    except (TypeError, ValueError):
        return None


def _dtype(tensor: Any) -> str:
    dtype = getattr(tensor, "dtype", None)
    return dtype if isinstance(dtype, str) else str(getattr(dtype, "name", ""))
