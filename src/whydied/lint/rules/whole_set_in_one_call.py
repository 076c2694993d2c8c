"""A whole data set goes through the network in one call.

## What it detects
`model(x_test)`, `predict_on_batch`, `test_on_batch` or `train_on_batch` of an array that is all rows of a data set,
with a model that has convolutional, recurrent or attention layers and is otherwise given batches; in TensorFlow 1 a
feed of all test images to a graph with convolutions that is trained with `next_batch`, or of an array that a loop
feeds in slices.

## Why it matters
Training holds the activations of one batch, such a call those of all rows: it is often the only line of a script that
needs more memory than the machine has.

## When it stays silent
A part of the rows (`x_test[:100]`), `predict` and `evaluate`, which work in batches, dense networks, arrays of
unknown origin.

## Fix
`model.predict(x_test)` or `model.evaluate(x_test, y_test)`; with a session, feed slices in a loop and take the mean.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.lint.architecture import layer_names
from whydied.lint.kinds import kinds_of
from whydied.lint.library_kinds import MODEL
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.lint.whole_data import origin
from whydied.source.calls import callee
from whydied.source.trees import dotted_name

SAME_FAULT = ("whole-dataset-in-one-call", "prediction-too-large")
_AT_ONCE = frozenset({"predict_on_batch", "test_on_batch", "train_on_batch"})
_LARGE_LAYERS = ("Conv", "LSTM", "GRU", "RNN", "Attention", "application", "SeparableConv", "Bidirectional")
_ALL_IMAGES = (".test.images", ".validation.images", ".train.images")


def check(unit: Unit) -> Iterator[Hit]:
    if unit.is_graph:
        yield from _fed(unit)
        return
    kinds = kinds_of(unit)
    fitted = any(isinstance(call.func, ast.Attribute) and call.func.attr == "fit" for call in unit.calls)
    for call in unit.calls:
        if not call.args:
            continue
        model: ast.expr | None = None
        if isinstance(call.func, ast.Attribute) and call.func.attr in _AT_ONCE:
            model = call.func.value
        elif isinstance(call.func, ast.Name | ast.Attribute) and not unit.called(call):
            model = call.func
        found = origin(unit, call.args[0]) if model is not None and kinds.of(model) == MODEL else None
        if model is None or found is None or found.name == "boston_housing":
            continue
        names = layer_names(unit, model)
        if not any(name.startswith(_LARGE_LAYERS) for name in names) or not (fitted or found.name != "file"):
            continue
        name, data = unit.written(model), unit.written(call.args[0])
        advice = f"Write `{name}.predict({data})`, which goes through it in batches."
        if callee(call) in ("train_on_batch", "test_on_batch"):
            advice = (
                f"Write `{name}.{'fit' if callee(call)[1] == 'r' else 'evaluate'}({data}, …)`, which works in batches."
            )
        yield Hit(call, f"all rows of `{data}` go through `{name}` in one call", advice)


def _fed(unit: Unit) -> Iterator[Hit]:
    names = {callee(call) for call in unit.calls}
    if not names & {"conv2d", "conv1d", "conv3d", "Conv2D", "convolution2d"}:
        return
    sliced = _fed_in_slices(unit)
    for node in unit.scopes.every(ast.Dict):
        parent = unit.scopes.parent(node)
        if not isinstance(parent, ast.keyword | ast.Call):
            continue
        for value in node.values:
            name = dotted_name(value) if isinstance(value, ast.Attribute | ast.Name) else None
            if name is None:
                continue
            images = "next_batch" in names and name.endswith(_ALL_IMAGES)
            if images or (value is node.values[0] and name in sliced and _is_array_of_module(unit, value)):
                yield Hit(
                    value,
                    f"all rows of `{name}` are fed in one call, to a graph that is trained in batches",
                    f"Feed slices of `{name}` in a loop, and take the mean of what they give.",
                )


def _fed_in_slices(unit: Unit) -> set[str]:
    """The names of arrays that a feed in a loop takes slices of."""
    found = set()
    for node in unit.scopes.every(ast.Dict):
        for value in node.values if unit.scopes.loops_around(unit.scopes.statement(node)) else ():
            if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name):
                found.add(value.value.id)
    return found


def _is_array_of_module(unit: Unit, node: ast.expr) -> bool:
    """Whether a name is one array for the whole program, and not a batch that a loop makes."""
    seen = unit.scopes.visible(node.id, node) if isinstance(node, ast.Name) else None
    return seen is not None and all(one.kind == "assign" and not unit.scopes.loops_around(one.node) for one in seen[1])
