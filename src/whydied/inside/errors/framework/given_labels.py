"""What the labels are that an iterator, a generator, a class of batches or a data set gives; runs in the user's
process, after an exception.

Invariant: nothing is asked for its next batch. What is looked at are arrays that the giver holds and gives unchanged.
"""

from __future__ import annotations

import ast
from types import FrameType, FunctionType, GeneratorType
from typing import Any

import msgspec

from whydied.inside import journal
from whydied.inside.errors.framework.data_functions import LARGEST_DATASETS, listed_by
from whydied.inside.errors.framework.looked_values import looked_at
from whydied.inside.guest import live_source
from whydied.inside.guest.lookup import Missing, evaluate, instance_dict
from whydied.inside.guest.value_facts import describe
from whydied.records import Party
from whydied.source.calls import callee
from whydied.source.trees import around, function_at, within

_NUMBERS, _ROWS = ("binary", "sparse"), "categorical"
_BATCHES = ("Sequence", "PyDataset")
_SAME = ("BatchDataset", "ShuffleDataset", "RepeatDataset", "PrefetchDataset", "CacheDataset", "TakeDataset")
_AS_ARRAY = ("array", "asarray")


def with_labels(data: list[Party], value: Any, text: str) -> list[Party]:
    """The parties of a call, with one "label" more that has the numbers of the labels, where they can be looked at; a
    data set that tells a label itself is given its numbers. `text` is how the source calls the giver."""
    seen = _labels_of(value)
    if seen is None:
        return data
    labels = [party for party in data if party.role == "label"]
    if not labels:
        return [*data, msgspec.structs.replace(seen, text=text)]
    if len(labels) > 1:
        return data
    told = msgspec.structs.replace(
        labels[0],
        lowest=seen.lowest,
        highest=seen.highest,
        one_hot=seen.one_hot,
        classes=seen.classes,
        first_class=seen.first_class,
    )
    return [told if party is labels[0] else party for party in data]


def _labels_of(value: Any) -> Party | None:
    own, kind = instance_dict(value), describe(value).type
    if isinstance(own.get("class_mode"), str):
        return _by_mode(own, kind)
    array = _array_of(value, own)
    seen = looked_at("label", array, None, []) if array is not None else None
    if seen is None or seen.lowest is None:
        return None
    # What a generator yielded is a batch; the others hold all rows.
    rows = seen.shape if type(value) is GeneratorType else [None, *(seen.shape or [])[1:]]
    return msgspec.structs.replace(seen, type=kind, shape=rows)


def _by_mode(own: dict[str, Any], kind: str) -> Party | None:
    """An iterator over files or a table of them, which says what it makes of the classes."""
    import numpy

    mode, named = own["class_mode"], own.get("class_indices")
    if mode not in (*_NUMBERS, _ROWS) or type(named) is not dict or not named:
        return None
    if mode == _ROWS:
        return Party(role="label", type=kind, shape=[None, len(named)], one_hot=True, classes=len(named))
    given = own.get("classes")
    plain = type(given) is numpy.ndarray or (type(given) is list and all(type(one) is int for one in given))
    seen = looked_at("label", numpy.asarray(given), None, []) if plain else None
    if seen is None or seen.lowest is None:
        return None
    return msgspec.structs.replace(seen, type=kind, shape=[None])


def _array_of(value: Any, own: dict[str, Any]) -> Any:
    """The array of all labels, or of those of the batch at which a generator waits."""
    if type(value) is GeneratorType:
        return _yielded(value.gi_frame)
    if _is_a(value, "DatasetV2"):
        return _sliced(value)
    if _is_a(value, "NumpyArrayIterator"):
        return own.get("y")
    if any(_is_a(value, name) for name in _BATCHES):
        return _returned(value)
    return None


def _yielded(frame: FrameType | None) -> Any:
    owner = journal.current()
    file = owner.ownership.user_file(frame) if owner is not None and frame is not None else None
    source = live_source.source(file) if file is not None else None
    if frame is None or source is None:
        return None
    found = around(source.tree, frame.f_lineno, ast.Yield)
    label = _second(found[-1].value) if found else None
    value = evaluate(label, frame) if label is not None else None
    return None if isinstance(value, Missing) else value


def _returned(value: Any) -> Any:
    """The attribute that `__getitem__` cuts the labels of a batch from."""
    method = next(
        (one for kind in type(value).__mro__ if (one := vars(kind).get("__getitem__")) is not None),
        None,
    )
    code = method.__code__ if type(method) is FunctionType else None
    owner = journal.current()
    file = owner.ownership.resolve(code.co_filename) if owner is not None and code is not None else None
    source = live_source.source(file) if file is not None else None
    if source is None or code is None or not code.co_varnames:
        return None
    scope = function_at(source.tree, code.co_firstlineno + 1)
    returns = [one for one in within(scope) if isinstance(one, ast.Return)] if scope is not None else []
    label = _second(returns[0].value) if len(returns) == 1 and scope is not None else None
    if isinstance(label, ast.Name) and scope is not None:
        given = [one for one in within(scope) if isinstance(one, ast.Assign) and _assigns(one, label.id)]
        label = given[0].value if len(given) == 1 else None
    while isinstance(label, ast.Subscript | ast.Call):
        if isinstance(label, ast.Subscript):
            label = label.value
        else:
            label = label.args[0] if callee(label) in _AS_ARRAY and label.args else None
    is_own = isinstance(label, ast.Attribute) and isinstance(label.value, ast.Name)
    if not is_own or not isinstance(label, ast.Attribute) or not isinstance(label.value, ast.Name):
        return None
    return instance_dict(value).get(label.attr) if label.value.id == code.co_varnames[0] else None


def _assigns(node: ast.Assign, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in node.targets)


def _second(node: ast.expr | None) -> ast.expr | None:
    """The labels of what is written as a pair, or with weights."""
    return node.elts[1] if isinstance(node, ast.Tuple) and len(node.elts) in (2, 3) else None


def _sliced(dataset: Any) -> Any:
    """The tensor of the labels that a data set cuts into elements, below what leaves these as they are."""
    for _ in range(LARGEST_DATASETS):
        if _is_a(dataset, "TensorSliceDataset") or _is_a(dataset, "_TensorSliceDataset"):
            tensors = instance_dict(dataset).get("_tensors")
            spec = instance_dict(dataset).get("_structure")
            pair = type(spec) is tuple and len(spec) == 2 and not isinstance(spec[0], (dict, list, tuple))
            return tensors[1] if pair and type(tensors) is list and len(tensors) == 2 else None
        if not any(_is_a(dataset, name) or _is_a(dataset, f"_{name}") for name in _SAME):
            return None
        below = listed_by(dataset, "_inputs")
        if len(below) != 1:
            return None
        dataset = below[0]
    return None


def _is_a(value: Any, name: str) -> bool:
    return any(kind.__name__ == name for kind in type.__dict__["__mro__"].__get__(type(value)))
