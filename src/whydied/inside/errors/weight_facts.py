"""Weights that do not fit a model: which layer, both shapes, and where the program made that layer; runs in the user's
process, at an uncaught exception.

Invariant: the shapes come from the libraries' own message or from the model and the file themselves, and the
file is only read. A model is looked at through the attributes of Keras' own classes.
"""

from __future__ import annotations

import ast
import re
import sys
from types import TracebackType
from typing import Any

from whydied import redact
from whydied.inside.errors import operands
from whydied.inside.errors.operands import Failure
from whydied.inside.guest import guard, live_source
from whydied.inside.guest.lookup import MISSING, Missing, evaluate, instance_dict
from whydied.inside.journal import Journal
from whydied.inside.model import layer_lines, layer_structure
from whydied.records import Frame, SavedWeight, WeightsCompared
from whydied.texts import weights
from whydied.texts.entry import any_of

LARGEST_LAYERS = 400
_SHAPES = (weights.VALUE_SHAPE.pattern, weights.SAVED_SHAPE.pattern, weights.PROVIDED_SHAPE.pattern)
_SAVED_FIRST = (weights.RESTORED_SHAPE.pattern,)
_ASSIGNED = weights.ASSIGNED_SHAPE.pattern
# Any assignment can fail so; it is about saved weights where the statement is one that loads.
_REFUSED = weights.REFUSED_SHAPE.pattern
_LOADS = frozenset({"load_weights", "load_model", "set_weights", "restore", "read"})
_COUNTS = any_of(weights.LAYERS_FOUND, weights.WEIGHTS_GIVEN, weights.VARIABLES_RECEIVED, weights.WEIGHT_COUNT)
_OBJECT = weights.OBJECT.pattern
_VARIABLE = weights.VARIABLE.pattern
_LAYER = weights.LAYER.pattern


def look(index: int, text: str, steps: list[TracebackType], owner: Journal) -> WeightsCompared | None:
    expected, received = _shapes(text)
    refused = _REFUSED.search(text) if expected is None else None
    if refused is not None and _loads(steps, owner):
        expected, received = _numbers(refused[1]), _numbers(refused[2])
    if expected is None and not _COUNTS.search(text):
        return None
    path = _first(_VARIABLE, text)
    made = _OBJECT.search(text)
    model, name, file = _call(steps, owner)
    table = _layers_of(model)
    layer = made[2] if made else _owner(path, table) or _first(_LAYER, text)
    known = layer_lines.by_name()
    if expected is not None and (layer not in known or layer in _names(model)):
        layer = _by_shape(expected, table) or layer
    origin = known.get(layer or "")
    saved = _saved(file)
    return WeightsCompared(
        link=index,
        layer=layer or "",
        weight=(path or "").rpartition("/")[2],
        type=origin.type if origin else made[1] if made else "",
        expected=expected,
        received=received,
        frame=_frame(origin, owner),
        path=redact.text(file) if isinstance(file, str) else "",
        model=name,
        layers=[SavedWeight(layer=n, shapes=s, frame=_frame(known.get(n), owner)) for n, s in table],
        saved=saved,
    )


def _shapes(text: str) -> tuple[list[int] | None, list[int] | None]:
    """What the model's weight has, and what came."""
    for pattern in _SHAPES:
        if found := pattern.search(text):
            return _numbers(found[1]), _numbers(found[2])
    for pattern in _SAVED_FIRST:
        if found := pattern.search(text):
            return _numbers(found[2]), _numbers(found[1])
    if (found := _ASSIGNED.search(text)) and "save" in text:
        return _numbers(found[1]), _numbers(found[2])
    return None, None


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part.strip()]


def _loads(steps: list[TracebackType], owner: Journal) -> bool:
    """Whether the failing statement of the user's is one that loads weights."""
    failure = _failure(steps, owner)
    nodes = ast.walk(failure.node) if failure is not None else ()
    return any(isinstance(node, ast.Attribute) and node.attr in _LOADS for node in nodes)


def _failure(steps: list[TracebackType], owner: Journal) -> Failure | None:
    """The expression at which the innermost frame of the user's failed."""
    users = [step for step in steps if owner.ownership.user_file(step.tb_frame) is not None]
    if not users:
        return None
    return operands.failing(users[-1], owner.ownership.resolve(users[-1].tb_frame.f_code.co_filename))


def _call(steps: list[TracebackType], owner: Journal) -> tuple[Any, str, Any]:
    """The model that the failing statement of the user's calls, its name there, and the file it names."""
    failure = _failure(steps, owner)
    for node in ast.walk(failure.node) if failure is not None else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and failure is not None:
            given = evaluate(node.args[0], failure.frame) if node.args else _keyword(node, failure)
            return *_model(node.func.value, failure), given
    return MISSING, "", None


def _model(node: ast.AST, failure: Failure) -> tuple[Any, str]:
    """The Keras model that an expression is, names or, being a checkpoint, has as an attribute."""
    for part in ast.walk(node):
        value = evaluate(part, failure.frame) if isinstance(part, (ast.Name, ast.Attribute)) else MISSING
        held = list(instance_dict(value).values()) if not isinstance(value, Missing) else []
        for one in [value] if _is_keras(value) else [one for one in held if _is_keras(one)]:
            return one, ast.unparse(part)[:200]
    return MISSING, ast.unparse(node)[:200]


def _keyword(node: ast.Call, failure: Failure) -> Any:
    return next((evaluate(word.value, failure.frame) for word in node.keywords if word.arg == "filepath"), None)


def _is_keras(value: Any) -> bool:
    return any(
        base.__name__ == "Layer" and base.__module__.partition(".")[0] in ("keras", "tf_keras")
        for base in type(value).__mro__
    )


def _names(model: Any) -> list[str]:
    return [layer_lines.origin(model).name] if not isinstance(model, Missing) else []


def _layers_of(model: Any) -> list[tuple[str, list[list[int]]]]:
    """The innermost layers of a model that have weights, with the shapes of those."""
    if isinstance(model, Missing) or not _is_keras(model):
        return []
    found: list[tuple[str, list[list[int]]]] = []
    waiting, seen = [model], set()
    while waiting and len(found) < LARGEST_LAYERS:
        layer = waiting.pop(0)
        if id(layer) in seen:
            continue
        seen.add(id(layer))
        inner = [one for one in layer_structure.inner(layer) if _is_keras(one)]
        waiting = inner + waiting
        own = layer_structure.weights(layer)
        shapes = [[int(size) for size in weight.shape] for weight in own if hasattr(weight, "shape")]
        if shapes:
            found.append((layer_lines.origin(layer).name, shapes))
    return found


def _owner(path: str | None, table: list[tuple[str, list[list[int]]]]) -> str | None:
    """The layer that a variable's path goes through."""
    parts = (path or "").split("/")[:-1]
    known = {name for name, _ in table} | set(layer_lines.by_name())
    return next((part for part in reversed(parts) if part in known), parts[-1] if parts else None)


def _by_shape(expected: list[int], table: list[tuple[str, list[list[int]]]]) -> str | None:
    """The only layer that has a weight of that shape."""
    having = [name for name, shapes in table if expected in shapes]
    return having[0] if len(having) == 1 else None


def _saved(file: Any) -> list[SavedWeight]:
    """The layers of an HDF5 file of the older form, which has them by name."""
    h5py = sys.modules.get("h5py")
    if h5py is None or not isinstance(file, str) or not file.endswith((".h5", ".hdf5")):
        return []
    try:
        with h5py.File(file, "r") as stored:
            group = stored.get("model_weights", stored)
            names = [_text(name) for name in group.attrs.get("layer_names", ())][:LARGEST_LAYERS]
            made = [(name, [_text(weight) for weight in group[name].attrs.get("weight_names", ())]) for name in names]
            return [
                SavedWeight(layer=name, shapes=[[int(size) for size in group[name][weight].shape] for weight in own])
                for name, own in made
                if own
            ]
    except Exception as error:
        if guard.is_the_users(error):
            raise
        return []


def _text(name: Any) -> str:
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)


def _frame(origin: layer_lines.Origin | None, owner: Journal) -> Frame | None:
    if origin is None or origin.line is None:
        return None
    file, line, function = origin.line
    first, last, text = live_source.statement(file, line)
    return Frame(
        file=file,
        line=first,
        function=function,
        user=owner.ownership.is_user_path(file),
        source=redact.text(text[:500]),
        end_line=last,
    )


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return found[1] if found else None
