"""An array is copied and then copied again by the conversion to a tensor.

## What it detects
`np.array(x)`, `np.copy(x)` or `x.copy()` of what is an array already, whose result is only passed to
`tf.convert_to_tensor` or `tf.constant`, or such a call inside the conversion.

## Why it matters
`np.array` copies, and so does the conversion: the same rows are in memory three times while both run.

## When it stays silent
`np.array` makes an array of a list or a tensor, changes the type, or its copy is used elsewhere.

## Fix
Pass the array itself, which `--fix` writes, or `np.asarray`, which copies only if it must.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.lint.kinds import kinds_of
from whydied.lint.library_kinds import ARRAY
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.lint.whole_data import origin
from whydied.source.edits.edit import over, written_in

SAME_FAULT = ("redundant-copies",)
_CONVERTING = ("tf.convert_to_tensor", "tf.constant", "keras.ops.convert_to_tensor", "tf.Variable")


def check(unit: Unit) -> Iterator[Hit]:
    for call in unit.calls:
        given = _copied(unit, call)
        if given is None or not _is_array(unit, given) or not _is_only_converted(unit, call):
            continue
        name = unit.written(given)
        yield Hit(
            call,
            f"`{name}` is copied by `{unit.written(call.func)}` and again as it becomes a tensor",
            f"Pass `{name}` itself.",
            (over(unit.source, unit.file, call, written_in(unit.source, given)),),
        )


def _copied(unit: Unit, call: ast.Call) -> ast.expr | None:
    """What `np.array(x)`, `np.copy(x)` and `x.copy()` make a copy of, without a change."""
    if call.keywords:
        return None
    if unit.called(call) in ("np.array", "np.copy"):
        return call.args[0] if len(call.args) == 1 else None
    if isinstance(call.func, ast.Attribute) and call.func.attr == "copy" and not call.args and not unit.called(call):
        return call.func.value
    return None


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
