"""`predict` is called for one row after the other.

## What it detects
`model.predict` in a loop over the rows of an array or over their indices, with an argument that is made of the loop's
own row or index alone: `predict(x[i:i+1])`, `predict(np.expand_dims(row, 0))`, `predict(row[None])`.

## Why it matters
Each call builds an input pipeline and callbacks for a single row: it is slow by orders of magnitude, and some
versions do not give all of its memory back.

## When it stays silent
At most fifty rounds, rows that come one by one (files, a stream), a row that depends on the result of the row before
(generating text, playing a game), batches.

## Fix
One `predict` of all rows in front of the loop, or `model(x, training=False)` for one small batch.

## References
https://keras.io/getting_started/faq/
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.lint.kinds import kinds_of
from whydied.lint.library_kinds import ARRAY, MODEL
from whydied.lint.repetition import length
from whydied.lint.static_rule import Hit
from whydied.lint.unit import Unit
from whydied.lint.whole_data import origin
from whydied.source.calls import callee

SAME_FAULT = ("predict-in-loop",)
FEWEST_ROUNDS = 50
_Rounds = ast.For | ast.AsyncFor | ast.comprehension
_ONE_MORE_AXIS = frozenset({"expand_dims", "array", "asarray", "reshape", "atleast_2d"})


def check(unit: Unit) -> Iterator[Hit]:
    kinds = kinds_of(unit)
    for call in unit.calls:
        if not isinstance(call.func, ast.Attribute) or call.func.attr != "predict" or not call.args:
            continue
        loop = _loop_around(unit, call)
        if loop is None or kinds.of(call.func.value) != MODEL:
            continue
        number = length(unit, loop.iter)
        if number is not None and number <= FEWEST_ROUNDS:
            continue
        if _goes_through_rows(unit, loop) and _is_one_row(unit, call.args[0], loop):
            model, row = unit.written(call.func.value), unit.written(call.args[0])
            yield Hit(
                call,
                f"`{model}.predict` is called for one row at a time, in the loop over `{unit.written(loop.iter)}`",
                f"Call `{model}.predict` once for all rows before the loop, or `{model}({row}, training=False)` here.",
            )


def _loop_around(unit: Unit, call: ast.Call) -> _Rounds | None:
    for above in unit.scopes.ancestors(call):
        if isinstance(above, ast.ListComp | ast.GeneratorExp) and len(above.generators) == 1:
            return above.generators[0]
        if isinstance(above, ast.stmt):
            break
    loops = unit.scopes.loops_around(call)
    return loops[0] if loops and not isinstance(loops[0], ast.While) else None


def _goes_through_rows(unit: Unit, loop: _Rounds) -> bool:
    """Whether a loop goes through indices, or through rows that are all in memory: they could be given at once."""
    node = loop.iter
    while isinstance(node, ast.Call) and callee(node) in ("enumerate", "tqdm", "zip") and node.args:
        node = node.args[0]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("range", "trange"):
        return True
    return kinds_of(unit).of(node) == ARRAY or origin(unit, node) is not None


def _is_one_row(unit: Unit, node: ast.expr, loop: _Rounds, depth: int = 4) -> bool:
    """Whether an expression is one row: an index or an item of the loop, with one more axis."""
    if not depth:
        return False
    if isinstance(node, ast.Name):
        bound = unit.scopes.reaching(node)
        if len(bound) != 1 or bound[0].kind != "assign" or bound[0].place or bound[0].value is None:
            return False
        if not unit.scopes.within(bound[0].node, loop):
            return False
        return _is_one_row(unit, bound[0].value, loop, depth - 1)
    if isinstance(node, ast.Call) and callee(node) in _ONE_MORE_AXIS:
        return _has_one_first(unit, node) and _depends_on_loop(unit, node, loop)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        return _is_one_long(unit, node.slice) and _depends_on_loop(unit, node.slice, loop)
    if isinstance(node, ast.Subscript):
        first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
        new_axis = isinstance(first, ast.Constant) and first.value is None
        return (new_axis or unit.named(first) in ("np.newaxis", "tf.newaxis")) and _depends_on_loop(unit, node, loop)
    return False


def _has_one_first(unit: Unit, call: ast.Call) -> bool:
    """`expand_dims(row, 0)`, `np.array([row])`, `row.reshape(1, -1)`."""
    name = callee(call)
    if name == "expand_dims":
        axis = next(
            (one.value for one in call.keywords if one.arg == "axis"), call.args[1] if len(call.args) > 1 else None
        )
        return axis is not None and unit.number(axis) == 0
    if name in ("array", "asarray"):
        return bool(call.args) and isinstance(call.args[0], ast.List) and len(call.args[0].elts) == 1
    if name == "atleast_2d":
        return True
    shape = call.args[1:] if unit.called(call) else call.args
    first = shape[0].elts[0] if shape and isinstance(shape[0], ast.Tuple) and shape[0].elts else next(iter(shape), None)
    return first is not None and unit.number(first) == 1


def _is_one_long(unit: Unit, index: ast.Slice) -> bool:
    """`x[i:i+1]`."""
    last = index.upper
    return (
        index.lower is not None
        and isinstance(last, ast.BinOp)
        and isinstance(last.op, ast.Add)
        and unit.number(last.right) == 1
        and ast.dump(last.left) == ast.dump(index.lower)
    )


def _depends_on_loop(unit: Unit, node: ast.AST, loop: _Rounds, depth: int = 4) -> bool:
    """Whether it is made of the loop's own target and of what the loop leaves as it is."""
    names = [one for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
    own = False
    for name in names:
        for bound in unit.scopes.reaching(name):
            if bound.kind in ("loop", "comprehension") and bound.node is loop:
                own = True
            elif bound.kind == "assign" and unit.scopes.within(bound.node, loop) and not bound.place:
                if bound.value is None or not depth or not _depends_on_loop(unit, bound.value, loop, depth - 1):
                    return False
                own = True
            elif bound.kind not in ("import", "definition") and unit.scopes.within(bound.node, loop):
                return False
    return own
