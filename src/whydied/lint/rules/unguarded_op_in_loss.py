"""A loss takes a logarithm, a root or a quotient of what can be zero.

## What it detects
In a loss, in what a gradient tape records and in functions that these call: `log` of a prediction, the square root of
a row's squared distance (`sqrt(reduce_sum((a - b) ** 2, axis=1))`), `tf.norm(a - b, axis=1)`, and a division by the
labels or the predictions themselves, where nothing keeps the value away from 0.

## Why it matters
The logarithm of 0 is infinite, and so is the derivative of the square root at 0: one row is enough to turn the loss
and then all weights NaN.

## When it stays silent
Something is added to the value, or it is clipped, bounded or replaced (`maximum`, `clip_by_value`, `divide_no_nan`);
the root of a mean over the whole batch; values of unknown origin.

## Fix
`tf.math.log(p + 1e-7)`, `tf.sqrt(tf.maximum(d, 1e-12))`, `tf.math.divide_no_nan(a, b)`. `--fix` writes the first two,
for `tf` and `keras.ops`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.lint.loss_regions import is_differentiated, is_prediction, region
from whydied.lint.rules.handwritten_cross_entropy import cross_entropies, is_log
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, over, written_in

SAME_FAULT = ("nonfinite-from-op", "nonfinite-gradient")
_ROOTS = frozenset({"tf.sqrt", "tf.math.sqrt", "keras.ops.sqrt", "keras.backend.sqrt"})
_SUMS = frozenset({"reduce_sum", "sum"})


def check(unit: Unit) -> Iterator[Hit]:
    taken = {call for call, _ in cross_entropies(unit)}
    for call in unit.calls:
        if call in taken or not call.args:
            continue
        if is_log(unit, call) and is_differentiated(unit, call) and is_prediction(unit, call.args[0]):
            value = unit.written(call.args[0])
            yield Hit(
                call,
                f"`{unit.written(call)}` in a loss is infinite where `{value}` is 0",
                f"Write `{unit.written(call.func)}({value} + 1e-7)`.",
                tuple(_added(unit, call)),
            )
        elif unit.called(call) == "tf.norm" and _is_norm_of_rows(unit, call) and is_differentiated(unit, call):
            yield Hit(
                call,
                f"the derivative of `{unit.written(call.func)}` in a loss is NaN where two rows are equal",
                "Take the root of a bounded sum: `tf.sqrt(tf.maximum(tf.reduce_sum(tf.square(…), axis=…), 1e-12))`.",
            )
        elif unit.called(call) in _ROOTS and _is_distance(unit, call.args[0]) and is_differentiated(unit, call):
            yield Hit(
                call,
                f"the derivative of `{unit.written(call.func)}` in a loss is infinite where two rows are equal",
                f"Write `{unit.written(call.func)}({_maximum(unit, call)}(…, 1e-12))`.",
                tuple(_bounded(unit, call)),
            )
    for node in unit.scopes.every(ast.BinOp):
        if isinstance(node.op, ast.Div) and region(unit, node) is not None and is_prediction(unit, node.right):
            value = unit.written(node.right)
            yield Hit(
                node,
                f"a loss divides by `{value}`, which can be 0",
                f"Write `tf.math.divide_no_nan(…, {value})`, or add a small number to `{value}`.",
            )


def _is_norm_of_rows(unit: Unit, call: ast.Call) -> bool:
    """`tf.norm(a - b, axis=1)`."""
    return passed_argument(call, "axis") is not None and _is_difference(unit, call.args[0])


def _added(unit: Unit, call: ast.Call) -> Iterator[Edit]:
    value = call.args[0]
    text = written_in(unit.source, value)
    plain = isinstance(value, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    yield over(unit.source, unit.file, value, f"{text} + 1e-7" if plain else f"({text}) + 1e-7")


def _maximum(unit: Unit, call: ast.Call) -> str:
    function = call.func
    if not isinstance(function, ast.Attribute):
        return "maximum"
    module = unit.written(function.value)
    return f"{module.removesuffix('.math')}.maximum"


def _bounded(unit: Unit, call: ast.Call) -> Iterator[Edit]:
    if isinstance(call.func, ast.Attribute) and len(call.args) == 1:
        value = call.args[0]
        yield over(unit.source, unit.file, value, f"{_maximum(unit, call)}({written_in(unit.source, value)}, 1e-12)")


def _is_distance(unit: Unit, node: ast.expr, depth: int = 4) -> bool:
    """`reduce_sum(square(a - b), axis=1)`, by name or written out."""
    if not depth:
        return False
    if isinstance(node, ast.Name):
        bound = unit.scopes.reaching(node)
        return (
            len(bound) == 1
            and bound[0].kind == "assign"
            and not bound[0].place
            and bound[0].value is not None
            and _is_distance(unit, bound[0].value, depth - 1)
        )
    if not isinstance(node, ast.Call) or callee(node) not in _SUMS or not unit.called(node) or not node.args:
        return False
    has_axis = passed_argument(node, "axis") is not None or len(node.args) > 1
    return has_axis and _is_square_of_difference(unit, node.args[0])


def _is_square_of_difference(unit: Unit, node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return unit.number(node.right) == 2 and _is_difference(unit, node.left)
    if isinstance(node, ast.Call) and callee(node) == "squared_difference":
        return True
    return (
        isinstance(node, ast.Call)
        and callee(node) == "square"
        and bool(node.args)
        and _is_difference(unit, node.args[0])
    )


def _is_difference(unit: Unit, node: ast.expr) -> bool:
    if isinstance(node, ast.Name):
        bound = unit.scopes.reaching(node)
        node = bound[0].value if len(bound) == 1 and bound[0].value is not None and not bound[0].place else node
    return (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)) or (
        isinstance(node, ast.Call) and callee(node) == "subtract"
    )
