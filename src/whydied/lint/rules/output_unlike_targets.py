"""The last layer, the loss and the labels do not belong together.

## What it detects
A softmax over one unit; one unit with a categorical cross-entropy; one-hot labels with a sparse cross-entropy, or
class numbers with one that expects one-hot labels; fewer units than the labels have classes.

## Why it matters
A softmax of one value is always 1, so nothing is learned. The others raise an error about shapes at the first step,
or, for class numbers beyond the last unit, give NaN on a GPU.

## When it stays silent
The units, the loss or the labels cannot be seen in the code: labels count that are made by `to_categorical`,
`tf.one_hot`, `np.eye` or `np.random.randint`, and those of the data sets of Keras.

## Fix
One unit with sigmoid and a binary cross-entropy for two classes; as many units as classes with softmax, and the
sparse loss for class numbers, the plain one for one-hot labels.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.lint.architecture import Output, Trained, output_of, trainings
from whydied.lint.kinds import kinds_of
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.lint.whole_data import Targets, targets
from whydied.source.calls import passed_argument

SAME_FAULT = ("target-mismatch", "label-out-of-range")
_SPARSE, _CATEGORICAL, _BINARY = "sparsecategoricalcrossentropy", "categoricalcrossentropy", "binarycrossentropy"


def check(unit: Unit) -> Iterator[Hit]:
    told: set[ast.AST] = set()
    for trained in trainings(unit):
        end = output_of(unit, trained.model)
        hit = _of_units(unit, trained, end) if end is not None else None
        hit = hit or _of_labels(unit, trained, end)
        if hit is not None and hit.node not in told:
            told.add(hit.node)
            yield hit


def _of_units(unit: Unit, trained: Trained, end: Output) -> Hit | None:
    is_dense = end.unit.called(end.layer).rpartition(".")[2] == "Dense"
    if end.units != 1 or not is_dense:
        return None
    node: ast.expr = end.layer if end.unit is unit else trained.node
    if end.activation == "softmax":
        return Hit(
            node,
            "the last layer is a softmax over one unit, which is always 1",
            'Write `activation="sigmoid"` with a binary cross-entropy, or one unit for each class.',
        )
    if trained.loss.name in (_SPARSE, _CATEGORICAL):
        return Hit(
            trained.loss.node,
            f"`{unit.written(trained.model)}` ends in one unit, but `{_named(unit, trained)}` expects one per class",
            "Use a binary cross-entropy for two classes, or give the last layer one unit for each class.",
        )
    return None


def _named(unit: Unit, trained: Trained) -> str:
    text = unit.text_of(trained.loss.node)
    call = trained.loss.call
    return text if text is not None else unit.written(call.func if call is not None else trained.loss.node)


def _of_labels(unit: Unit, trained: Trained, end: Output | None) -> Hit | None:
    given = _fitted(unit, trained)
    labels = targets(unit, given)
    if labels is None or given is None:
        return None
    loss, name, node = trained.loss.name, unit.written(given), trained.loss.node
    if labels.form == "one-hot" and loss == _SPARSE:
        return Hit(
            node,
            f"`{name}` is one-hot, but `{_named(unit, trained)}` expects class numbers",
            f"Use the categorical cross-entropy, or pass `{name}` without making it one-hot.",
        )
    if labels.form == "integers" and loss == _CATEGORICAL:
        return Hit(
            node,
            f"`{name}` holds class numbers, but `{_named(unit, trained)}` expects one-hot labels",
            "Use the sparse categorical cross-entropy.",
        )
    return _of_classes(unit, trained, end, labels, name)


def _of_classes(unit: Unit, trained: Trained, end: Output | None, labels: Targets, name: str) -> Hit | None:
    if end is None or end.units is None or labels.classes is None:
        return None
    if end.unit.called(end.layer).rpartition(".")[2] != "Dense":
        return None
    node: ast.expr = end.layer if end.unit is unit else trained.node
    units, classes, loss = int(end.units), int(labels.classes), trained.loss.name
    fewer = units < classes if labels.form == "integers" else units != classes
    if fewer and loss == (_SPARSE if labels.form == "integers" else _CATEGORICAL):
        return Hit(
            node,
            f"the last layer has {units:,} units, but `{name}` has {classes:,} classes",
            f"Give the last layer {classes:,} units.",
        )
    if loss == _BINARY and units == 1 and labels.form == "integers" and classes > 2:
        return Hit(
            trained.loss.node,
            f"a binary cross-entropy expects labels 0 and 1, but `{name}` has {classes:,} classes",
            f"Give the last layer {classes:,} units and use the sparse categorical cross-entropy.",
        )
    return None


def _fitted(unit: Unit, trained: Trained) -> ast.expr | None:
    """The labels that a compiled model is fitted to, or a loss object is asked about; None where there are several."""
    if not (isinstance(trained.node.func, ast.Attribute) and trained.node.func.attr == "compile"):
        return trained.node.args[0]
    made = kinds_of(unit).maker(trained.model)
    if made is None:
        return None
    found = []
    for call in unit.calls:
        if (
            isinstance(call.func, ast.Attribute)
            and call.func.attr == "fit"
            and kinds_of(unit).maker(call.func.value) is made
        ):
            given = passed_argument(call, "y") or passed_argument(call, "1")
            found += [given] if given is not None else []
    return found[0] if len(found) == 1 else None
