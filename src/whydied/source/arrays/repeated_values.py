"""Arrays that a statement writes into a larger one several times: `np.repeat`, the same name stacked. Pure."""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.source.calls import callee, passed_argument
from whydied.source.numbers import constants, evaluate
from whydied.source.text import Source
from whydied.source.trees import nodes_on, written

_STACKING = frozenset({"stack", "dstack", "concatenate"})


class Repetition(NamedTuple):
    """`array`, as the source writes it, `times` times. `axis` is the one that grows, None where all are one after the
    other or it is not known; `is_new` says that the axis is a new one."""

    call: ast.Call
    array: str
    times: int
    axis: int | None
    is_new: bool


def repetition(source: Source, line: int) -> Repetition | None:
    """What the only such call of a statement repeats."""
    known = constants(source.tree)
    found = [
        one
        for node in nodes_on(source, line)
        if isinstance(node, ast.Call) and (one := _repeats(node, known) or _stacks(node, known)) is not None
    ]
    return found[0] if len(found) == 1 else None


def _repeats(call: ast.Call, known: dict[str, float]) -> Repetition | None:
    if callee(call) != "repeat" or not call.args or not isinstance(call.args[0], ast.Name | ast.Attribute):
        return None
    times = passed_argument(call, "repeats") or (call.args[1] if len(call.args) > 1 else None)
    number = evaluate(times, known) if times is not None else None
    given = passed_argument(call, "axis") or (call.args[2] if len(call.args) > 2 else None)
    axis = evaluate(given, known) if given is not None else None
    if number is None or number < 2:
        return None
    return Repetition(call, written(call.args[0]), round(number), round(axis) if axis is not None else None, False)


def _stacks(call: ast.Call, known: dict[str, float]) -> Repetition | None:
    """`np.stack([x, x, x], axis=-1)`, `np.stack([x] * 3, -1)`."""
    if callee(call) not in _STACKING or not call.args:
        return None
    given, times = call.args[0], 1.0
    if isinstance(given, ast.BinOp) and isinstance(given.op, ast.Mult):
        times = evaluate(given.right, known) or 1.0
        given = given.left
    parts = given.elts if isinstance(given, ast.List | ast.Tuple) else []
    if len({written(part) for part in parts}) != 1 or len(parts) * times < 2:
        return None
    named = passed_argument(call, "axis") or (call.args[1] if len(call.args) > 1 else None)
    axis = evaluate(named, known) if named is not None else None
    return Repetition(
        call,
        written(parts[0]),
        round(len(parts) * times),
        round(axis) if axis is not None else 0,
        callee(call) == "stack",
    )
