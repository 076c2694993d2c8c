"""An array that is to keep its length gets longer in each turn of a loop.

## What it detects
An array or list that fitted a fixed shape (`window.reshape(1, 20, 1)`, the input of a model) in a turn of a loop and is
longer in a later one, where the loop puts something onto it and takes nothing off.

## Why it happens
A sliding window is moved by adding the newest value and dropping the oldest; the second half is missing.

## Evidence
The length at the failing line and the one that fits, both recorded; the statement of the loop that joins; variables of
the loop that have values already, which shows that a turn went well before.

## How it is proved
The loop has one statement that gives the variable another length, and that only enlarges it: certain.

## Fix
As many of the oldest values dropped as are added.

## Known problems
An array whose items are dropped in a function that the loop calls is not told apart.
"""

from __future__ import annotations

import ast
import math
from typing import NamedTuple

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, fact, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import ErrorFacts, Operand
from whydied.source.bindings import bindings
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, Edit, over, statement, written_in
from whydied.source.trees import around, scope_at, tree_of, walk, written
from whydied.texts import shapes_and_types

ROLE = "explanation"
_JOINING = frozenset({"append", "concatenate", "concat", "hstack", "vstack"})
_DROPPING = frozenset({"pop", "popleft", "remove", "clear", "delete", "roll", "deque"})


class _Join(NamedTuple):
    """A statement that enlarges a variable; `old` is the variable in what it is joined from, None for a list that is
    appended to."""

    node: ast.stmt
    old: ast.expr | None
    axis: int
    added: ast.expr | None = None


def check(case: Case) -> Finding | None:
    found = failing(case)
    if found is None or found.place.file not in found.sources:
        return None
    tree = tree_of(found.sources, found.place.file)
    every = [one for one in around(tree, found.place.line, ast.stmt) if one.lineno != found.place.line]
    loops = [one for one in every if isinstance(one, ast.For | ast.While)]
    for operand in found.link.operands if loops else ():
        joins = _joins(operand.text, loops[-1])
        size = operand.shape[0] if operand.shape else operand.length
        if len(joins) != 1 or size is None:
            continue
        grown = _grown(found, operand, joins[0].axis)
        if grown is not None and _had_a_turn(found, loops[-1]):
            return _finding(found, operand, joins[0], *grown)
    return None


def _joins(name: str, loop: ast.For | ast.While) -> list[_Join]:
    """The statements of a loop that enlarge a variable; none where another one gives it a value or takes something."""
    found: list[_Join] = []
    for node in (one for part in loop.body for one in walk(part, ast.stmt)):
        if isinstance(node, ast.Assign) and any(written(one) == name for one in node.targets):
            join = _joined(name, node)
            if join is None:
                return []
            found.append(join)
        elif isinstance(node, ast.AugAssign | ast.Delete):
            changed = [node.target] if isinstance(node, ast.AugAssign) else node.targets
            if any(written(one) == name or written(one).startswith(f"{name}[") for one in changed):
                return []
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            if isinstance(call.func, ast.Attribute) and written(call.func.value) == name:
                if callee(call) == "append" and len(call.args) == 1:
                    found.append(_Join(node, None, 0, call.args[0]))
                else:
                    return []
    return found


def _joined(name: str, node: ast.Assign) -> _Join | None:
    """`np.append(window, value)`, with the whole of the old value."""
    call = node.value
    if not isinstance(call, ast.Call) or callee(call) not in _JOINING or not call.args:
        return None
    if any(callee(one) in _DROPPING for one in walk(call, ast.Call)):
        return None
    first = call.args[0]
    parts = first.elts if isinstance(first, ast.List | ast.Tuple) else [first]
    old = [one for one in parts if written(one) == name]
    axis = next((one.value for one in call.keywords if one.arg == "axis"), None)
    axis = call.args[-1] if axis is None and callee(call) == "concat" and len(call.args) == 2 else axis
    number = axis.value if isinstance(axis, ast.Constant) and type(axis.value) is int else 0 if axis is None else None
    return _Join(node, old[0], number) if len(old) == 1 and old[0] is parts[0] and number is not None else None


def _grown(found: Failing, operand: Operand, axis: int) -> tuple[int, int] | None:
    """The size of the axis and the one that fits, from what refused it."""
    shape = operand.shape or ([operand.length] if operand.length is not None else [])
    sizes = [one for one in shape if one is not None]
    if len(sizes) != len(shape) or not -len(sizes) <= axis < len(sizes):
        return None
    have = sizes[axis]
    told = shapes_and_types.NOT_RESHAPED.search(found.link.message)
    if told is not None:
        wanted = [int(one) for one in told["shape"].split(",") if one.strip()]
        row = math.prod(sizes) // have if have else 0
        asked = math.prod(wanted)
        if int(told["size"]) != math.prod(sizes) or min(wanted) < 0 or not row or asked % row:
            return None
        fits = asked // row
        return (have, fits) if 0 < fits < have else None
    for facts in found.case.records.all(ErrorFacts):
        expected = facts.wanted.shape if facts.wanted is not None else None
        given = [one.shape for one in facts.parties if one.shape is not None and have in one.shape]
        for one in given if expected else ():
            differing = [(a, b) for a, b in zip(one, expected or [], strict=False) if None not in (a, b) and a != b]
            if len(one) == len(expected or []) and len(differing) == 1 and differing[0][0] == have:
                fits = differing[0][1] or 0
                return (have, fits) if 0 < fits < have else None
    return None


def _had_a_turn(found: Failing, loop: ast.For | ast.While) -> bool:
    """Whether a variable that only this loop sets, at the failing line or behind it, has a value."""
    frames = [one for one in found.link.frames if one.user]
    known = {one.name for one in frames[-1].locals} if frames else set()
    scope = scope_at(tree_of(found.sources, found.place.file), found.place.line)
    inside = {id(one) for part in loop.body for one in ast.walk(part)}
    for name in {one.id for part in loop.body for one in walk(part, ast.Name) if isinstance(one.ctx, ast.Store)}:
        bound = bindings(name, scope)
        later = all(id(one.node) in inside and one.line >= found.place.line for one in bound)
        if bound and later and name in known:
            return True
    return False


def _finding(found: Failing, operand: Operand, join: _Join, have: int, fits: int) -> Finding:
    file, line = found.place.file, join.node.lineno
    where, source = found.located(file, line), found.sources[found.place.file]
    name, dropped = operand.text, have - fits
    edit: Edit
    if join.old is not None and isinstance(join.node, ast.Assign):
        cut = f"{name}[{':, ' * join.axis}{dropped}:]" if join.axis >= 0 else f"{name}[..., {dropped}:]"
        edit = over(source, file, join.old, cut)
        right = f"{name} = {written_in(source, join.node.value).replace(name, cut, 1)}"
    else:
        right = f"{name} = {name}[{dropped}:] + [{written(join.added) if join.added is not None else ''}]"
        edit = statement(source, file, line, right)
    at = words_at(file, found.place.line)
    return Finding(
        message=f"{prefix(where)}`{name}` gets longer in each turn of the loop: {have:,} now, and {at} needs {fits:,}; "
        "nothing is dropped for what is added here",
        certainty="certain",
        location=where,
        culprit=Culprit(kind="expression", name=name, shape=operand.shape, dtype=operand.dtype),
        evidence=[said(found.link), fact("enlarged by", f"{written(join.node)}, {words_at(file, line)}", "source")],
        advice=[f"Drop as many of the oldest: `{right}`."],
        changes=[Change(title=f"Write `{right}`", kind="expression", edits=[edit])] if found.is_editable(file) else [],
    )
