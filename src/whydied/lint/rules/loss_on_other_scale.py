"""A loss takes logits for probabilities, or probabilities for logits.

## What it detects
A model that ends in softmax or sigmoid and is trained with a cross-entropy that has `from_logits=True`; or one that
ends without an activation and is trained with a cross-entropy that expects probabilities. In TensorFlow 1 also
`softmax_cross_entropy_with_logits` of what `tf.nn.softmax` gave.

## Why it matters
The logarithm of a raw output is NaN or clipped, and a softmax of a softmax hardly has a gradient: the loss turns NaN,
or training stalls without an error.

## When it stays silent
How the model ends, its activation or `from_logits` cannot be seen in the code.

## Fix
`from_logits=True` for a model without a last activation, and no `from_logits` for one that ends in softmax or
sigmoid. `--fix` changes `from_logits` where the loss is an object that is made for this model.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.lint.architecture import Loss, Output, Trained, output_of, trainings
from whydied.lint.kinds import kinds_of
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.source.edits.edit import Edit, end_of, over

SAME_FAULT = ("nonfinite-from-op",)
CROSS_ENTROPIES = frozenset({"categoricalcrossentropy", "sparsecategoricalcrossentropy", "binarycrossentropy"})
_SQUASHING = ("softmax", "sigmoid")
_WITH_LOGITS = (
    "tf.nn.softmax_cross_entropy_with_logits",
    "tf.nn.softmax_cross_entropy_with_logits_v2",
    "tf.nn.sparse_softmax_cross_entropy_with_logits",
    "tf.nn.sigmoid_cross_entropy_with_logits",
)


def check(unit: Unit) -> Iterator[Hit]:
    told: set[ast.AST] = set()
    for trained in trainings(unit):
        end = output_of(unit, trained.model) if trained.loss.name in CROSS_ENTROPIES else None
        if end is None or trained.loss.node in told or end.layer in told:
            continue
        hit = _hit(unit, trained, end)
        if hit is not None:
            told |= {trained.loss.node, end.layer}
            yield hit
    yield from _of_ops(unit)


def _hit(unit: Unit, trained: Trained, end: Output) -> Hit | None:
    loss, name = trained.loss, unit.written(trained.model)
    node = loss.call if loss.call is not None else loss.node
    if end.activation in _SQUASHING and loss.from_logits is True:
        return Hit(
            node,
            f"`{name}` ends in {end.activation}, but its loss has `from_logits=True`",
            f"Leave out `from_logits=True`, or the `{end.activation}` of the last layer.",
            tuple(_changed(unit, loss, False)),
        )
    if end.activation == "linear" and loss.from_logits is False:
        written = unit.written(loss.call.func) if loss.call is not None else unit.written(loss.node)
        return Hit(
            node,
            f"`{name}` ends without an activation, but its loss `{written}` expects probabilities",
            "Give the loss `from_logits=True`, or the last layer its activation.",
            tuple(_changed(unit, loss, True)),
        )
    return None


def _changed(unit: Unit, loss: Loss, wanted: bool) -> Iterator[Edit]:
    """Only for a loss object that this one model uses."""
    if loss.call is None or sum(other.loss.call is loss.call for other in trainings(unit)) != 1:
        return
    keyword = next((one for one in loss.call.keywords if one.arg == "from_logits"), None)
    if keyword is not None:
        yield over(unit.source, unit.file, keyword.value, str(wanted))
    elif not loss.call.args:
        line, column = end_of(unit.source, loss.call)
        comma = ", " if loss.call.keywords else ""
        if unit.source.lines[line - 1][column - 2] != ",":
            yield Edit(unit.file, (line, column - 1), (line, column - 1), f"{comma}from_logits={wanted}")


def _of_ops(unit: Unit) -> Iterator[Hit]:
    kinds = kinds_of(unit)
    for call in unit.calls:
        if unit.called(call) not in _WITH_LOGITS:
            continue
        given = next((one.value for one in call.keywords if one.arg == "logits"), None)
        made = kinds.maker(given) if given is not None else None
        if made is not None and unit.called(made) in ("tf.nn.softmax", "tf.nn.sigmoid", "tf.sigmoid"):
            squashed = unit.called(made).rpartition(".")[2]
            yield Hit(
                call,
                f"`{unit.written(call.func)}` is given `{unit.written(given or call)}`, which is {squashed} already",
                f"Pass the logits: what `{unit.written(made.func)}` is given in line {unit.place(made.lineno)[1]}.",
            )
