"""A cross-entropy is written by hand, with a logarithm that can be infinite.

## What it detects
`y * tf.math.log(p)` where `p` is what softmax, sigmoid or the model gave, and nothing keeps `p` away from 0.

## Why it matters
A softmax that is sure of itself gives exactly 0 in float32: the logarithm is minus infinity, 0 times that is NaN, and
the weights are lost with the next update.

## When it stays silent
`tf.math.log(p + 1e-7)`, a clipped or bounded `p`, an entropy (`p * log(p)`), values of unknown origin.

## Fix
`tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits)`, or a loss object of Keras with `from_logits=True`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.lint.loss_regions import is_prediction
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.source.calls import callee

SAME_FAULT = ("nonfinite-from-op", "nonfinite-gradient")
_LOGS = frozenset({"tf.math.log", "tf.log", "keras.ops.log", "keras.backend.log"})


def check(unit: Unit) -> Iterator[Hit]:
    told: set[ast.stmt] = set()
    for call, target in cross_entropies(unit):
        statement = unit.scopes.statement(call)
        if statement in told:
            continue
        told.add(statement)
        value, labels = unit.written(call.args[0]), unit.written(target)
        yield Hit(
            call,
            f"the cross-entropy of `{labels}` takes the logarithm of `{value}`, which can be 0",
            "Use a cross-entropy that is given the logits (`from_logits=True`, or "
            "`tf.nn.softmax_cross_entropy_with_logits`).",
        )


def cross_entropies(unit: Unit) -> list[tuple[ast.Call, ast.expr]]:
    """The logarithms of predictions that are multiplied with something else, and what that is."""
    found = unit.memory.get("cross-entropies")
    if isinstance(found, list):
        return found
    products: list[tuple[ast.Call, ast.expr]] = []
    for call in unit.calls:
        if not is_log(unit, call) or not is_prediction(unit, call.args[0]):
            continue
        product = _product(unit, call)
        if product is not None and ast.dump(product) != ast.dump(call.args[0]):
            products.append((call, product))
    unit.memory["cross-entropies"] = products
    return products


def is_log(unit: Unit, call: ast.Call) -> bool:
    return unit.called(call) in _LOGS and len(call.args) >= 1


def _product(unit: Unit, call: ast.Call) -> ast.expr | None:
    """The other factor of `y * log(p)`, or of `tf.multiply(y, log(p))`."""
    parent = unit.scopes.parent(call)
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mult):
        other = parent.left if parent.right is call else parent.right
        return _plain(other)
    if isinstance(parent, ast.Call) and callee(parent) == "multiply" and len(parent.args) == 2:
        return parent.args[0] if parent.args[1] is call else parent.args[1]
    return None


def _plain(node: ast.expr) -> ast.expr:
    """`y` of `-y`."""
    return node.operand if isinstance(node, ast.UnaryOp) else node
