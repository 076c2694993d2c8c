"""A layer of Keras that holds its inputs (tensors, layers, models, arrays) as one of its settings, because they were
given to its constructor; runs in the user's process, at an uncaught exception.

Such a layer is often made without complaint and fails later, somewhere in the library. Whether the setting takes such a
thing is decided by whoever reads the record: it has the default and what the documentation says.

Invariant: only layers of the library's own classes that the failing frames hold are read, by their instance
dictionaries and the frames of their constructors.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from whydied.inside.errors.api.api_names import library_of
from whydied.inside.errors.api.called_api import documented, signature_of
from whydied.inside.errors.framework.value_sources import is_layer, line_of_layer
from whydied.inside.errors.stack_steps import Step, frame_of
from whydied.inside.guest.lookup import instance_dict
from whydied.inside.guest.value_facts import describe, type_name
from whydied.inside.model import layer_lines, layer_structure
from whydied.records import Frame, HeldInput

LARGEST_LAYERS = 200
LARGEST_HELD = 8
_PLAIN = (int, float, bool, str, type(None))
_TENSORS = frozenset({"KerasTensor", "Tensor", "EagerTensor", "SymbolicTensor", "ndarray", "Variable"})
_MODELS = frozenset({"Model", "Functional", "Sequential"})


def look(number: int, error: BaseException, steps: list[Step]) -> HeldInput | None:
    users = [at for at, step in enumerate(steps) if step.file is not None]
    if not users:
        return None
    last = steps[users[-1]]
    below = steps[users[-1] + 1 :]
    begun = {id(step.get("self")): step for step in below if step.frame.f_code.co_name == "__init__"}
    found: list[HeldInput] = []
    for layer in _layers([last, *below]):
        own = begun.get(id(layer))
        line = frame_of(last.file or "", last.line, last.function) if own is not None else line_of_layer(layer)
        told = _told(number, layer, own, line)
        if told is not None:
            found.append(told)
    # A default that is a number or a text says most surely that no input is meant.
    return min(found, key=lambda one: one.default in (None, "None"), default=None)


def _told(number: int, layer: Any, begun: Step | None, made: Frame | None) -> HeldInput | None:
    held = _held(layer, begun.names if begun is not None else None)
    signature = signature_of(type(layer))
    if held is None or signature is None:
        return None
    parameter, items = held
    default = signature.parameters[parameter].default
    return HeldInput(
        link=number,
        type=type(layer).__name__,
        name=layer_lines.origin(layer).name,
        parameter=parameter,
        default=repr(default) if type(default) in _PLAIN else None,
        says=documented(type(layer)).get(parameter, ""),
        held=[type_name(type(item)) for item in items[:LARGEST_HELD]],
        kind="model" if all(map(_is_model, items)) else "layer" if any(map(is_layer, items)) else "tensor",
        made=made,
    )


def _layers(steps: list[Step]) -> Iterator[Any]:
    """Layers that the frames hold, the innermost first, then those of their models; each once. Keras leaves most of its
    own frames out of a traceback: the model is then known by the user's."""
    seen: list[Any] = []
    for step in reversed(steps):
        for value in list(step.names.values()):
            for item in _items(value) if isinstance(value, list | tuple) else [value]:
                if is_layer(item) and not any(item is one for one in seen) and len(seen) < LARGEST_LAYERS:
                    seen.append(item)
    inner = [one for model in seen if _is_model(model) for one in layer_structure.inner(model)[:LARGEST_LAYERS]]
    yield from (one for one in (*seen, *inner) if library_of(type(one).__module__) is not None and is_layer(one))


def _held(layer: Any, begun: dict[str, Any] | None) -> tuple[str, list[Any]] | None:
    """The setting that holds inputs, and those. `begun` are the variables of its constructor, where that failed."""
    signature = signature_of(type(layer))
    own = begun if begun is not None else instance_dict(layer)
    for name in signature.parameters if signature is not None and not _is_model(layer) else ():
        value = own.get(name, own.get(f"_{name}"))
        items = _items(value) if isinstance(value, list | tuple) else [value]
        if items and all(_is_input(item) for item in items):
            return name, items
    return None


def _items(value: Any) -> list[Any]:
    # Keras keeps lists in a class of its own, which is a list.
    return list((list if isinstance(value, list) else tuple).__iter__(value))[:LARGEST_LAYERS]


def _is_input(value: Any) -> bool:
    if is_layer(value):
        return True
    kind = type(value)
    known = kind.__name__ in _TENSORS and library_of(kind.__module__) is not None
    return known and (kind.__name__ != "ndarray" or bool(describe(value).shape))


def _is_model(value: Any) -> bool:
    return is_layer(value) and any(kind.__name__ in _MODELS for kind in type.__dict__["__mro__"].__get__(type(value)))
