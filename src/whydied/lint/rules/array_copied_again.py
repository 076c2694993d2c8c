"""An array is copied by `np.array` and again by the conversion to a tensor.

## What it detects
`np.array(x)` of what is an array already, whose result is only passed to `tf.convert_to_tensor` or `tf.constant`, or
such a call inside the conversion.

## Why it matters
`np.array` copies, and so does the conversion: the same rows are in memory three times while both run.

## When it stays silent
`np.array` makes an array of a list or a tensor, changes the type, or its copy is used elsewhere.

## Fix
Pass the array itself, or `np.asarray`, which copies only if it must. `--fix` writes `np.asarray`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.lint.kinds import ARRAY, kinds_of
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.lint.whole_data import origin
from whydied.source.edits.edit import Edit, over

SAME_FAULT = ("redundant-copies",)
_CONVERTING = ("tf.convert_to_tensor", "tf.constant", "keras.ops.convert_to_tensor", "tf.Variable")


def check(unit: Unit) -> Iterator[Hit]:
    for call in unit.calls:
        if unit.called(call) != "np.array" or len(call.args) != 1 or call.keywords or not _is_array(unit, call.args[0]):
            continue
        if _is_only_converted(unit, call):
            given = unit.written(call.args[0])
            function = call.func
            edits: tuple[Edit, ...] = ()
            if isinstance(function, ast.Attribute):
                edits = (over(unit.source, unit.file, function, f"{unit.written(function.value)}.asarray"),)
            yield Hit(
                call,
                f"`{given}` is copied by `{unit.written(function)}` and again as it becomes a tensor",
                f"Pass `{given}` itself.",
                edits,
            )


def _is_array(unit: Unit, node: ast.expr) -> bool:
    found = origin(unit, node)
    return kinds_of(unit).of(node) == ARRAY or found is not None


def _is_only_converted(unit: Unit, call: ast.Call) -> bool:
    parent = unit.scopes.parent(call)
    if isinstance(parent, ast.Call):
        return unit.called(parent) in _CONVERTING
    if not isinstance(parent, ast.Assign) or not isinstance(parent.targets[0], ast.Name):
        return False
    name = parent.targets[0].id
    scope = unit.scopes.scope(call)
    uses = [
        one
        for one in unit.scopes.every(ast.Name)
        if one.id == name and isinstance(one.ctx, ast.Load) and unit.scopes.scope(one) is scope
        if any(bound.node is parent for bound in unit.scopes.reaching(one))
    ]
    return bool(uses) and all(unit.called(unit.scopes.parent(one) or one) in _CONVERTING for one in uses)
