"""An array that was made in one piece and is being filled is larger than the memory there is.

## What it detects
A program that ran out of memory while it filled an array that `np.zeros`, `np.empty` or the like had made, whose size
together with the libraries is above the limit.

## Why it happens
The array is made for all items at once: every picture of a folder. Making it takes no memory yet, since the kernel
gives a page only when something is written to it, so the program dies somewhere in the middle of the filling.

## Evidence
The array with its shape, type and bytes, from the last census; the limit; the lines that make, fill and use it.

## How it is proved
Its bytes are above the limit by themselves: certain. Together with what the libraries hold: likely.

## Fix
A part of the items at a time, a generator of batches, a smaller type, or `np.memmap`.

## Known problems
An array that others than one name hold is told by that name.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied import words
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.made_sizes import MAKERS
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.diagnose.memory.bounding_changes import room_bytes
from whydied.diagnose.memory.memory_over_time import censuses
from whydied.records import Frame, Holder, LineSampled, ObjectGroup
from whydied.source.assignments import last_assignment
from whydied.source.calls import callee
from whydied.source.trees import around, enclosing, scope_at, tree_of, within, written

ROLE = "memory"
AT_ONCE = True
_ROOTS = ("local", "global", "attribute")


class _Filling(NamedTuple):
    """`made` and `filled` are lines of `file`, `used` is the first statement behind the loop that reads the array."""

    file: str
    made: int
    filled: int
    used: ast.stmt | None


def check(case: Case) -> Finding | None:
    taken = censuses(case)
    room, limit = room_bytes(case), case.recording.limit
    if not taken or room is None or limit is None:
        return None
    for group in sorted(taken[-1][1].groups, key=lambda one: -one.size_bytes):
        if group.kind != "array" or group.count != 1 or group.size_bytes <= room:
            continue
        for holder in group.holders:
            found = _filling(case, holder)
            if found is not None:
                return _finding(case, group, holder, found, limit.limit_bytes)
    return None


def _filling(case: Case, holder: Holder) -> _Filling | None:
    """The loop that fills the array, where the program was in it when it was last seen."""
    lines = case.records.all(LineSampled)
    frames = [frame for frame in (lines[-1].frames if lines else []) if frame.user and frame.file == holder.file]
    tree = tree_of(case.sources, holder.file)
    for frame in reversed(frames if holder.root in _ROOTS and holder.path.isidentifier() else []):
        for loop in reversed([*around(tree, frame.line, ast.For), *around(tree, frame.line, ast.While)]):
            stores = [
                one
                for one in ast.walk(loop)
                if isinstance(one, ast.Subscript)
                and isinstance(one.ctx, ast.Store)
                and written(one.value) == holder.path
            ]
            scope = scope_at(tree, loop.lineno)
            made = last_assignment(holder.path, scope, loop.lineno) if stores else None
            value = getattr(made, "value", None)
            if made is not None and isinstance(value, ast.Call) and callee(value) in MAKERS:
                return _Filling(holder.file, made.lineno, stores[0].lineno, _use(scope, loop, holder.path))
    return None


def _use(scope: ast.AST, loop: ast.stmt, name: str) -> ast.stmt | None:
    behind = [
        one
        for one in within(scope)
        if isinstance(one, ast.stmt) and not hasattr(one, "body") and one.lineno > (loop.end_lineno or loop.lineno)
    ]
    reading = [one for one in behind if name in {node.id for node in ast.walk(one) if isinstance(node, ast.Name)}]
    return min(reading, key=lambda one: one.lineno, default=None)


def _finding(case: Case, group: ObjectGroup, holder: Holder, found: _Filling, limit: int) -> Finding:
    function = enclosing(tree_of(case.sources, found.file), found.made)
    place = case.locate(Frame(file=found.file, line=found.made, function=function, user=True))
    form = f" of shape {group.shape} {group.dtype}" if group.shape else ""
    alone = group.size_bytes > limit
    beside = "" if alone else " beside the libraries"
    use = f"; line {found.used.lineno} uses it whole: `{written(found.used)}`" if found.used is not None else ""
    size, allowed = words.size(group.size_bytes), words.size(limit)
    rows = f" (all {group.shape[0]:,} rows)" if group.shape and (group.shape[0] or 0) > 1 else ""
    return Finding(
        message=f"{prefix(place)}`{holder.path}`{form} needs {size}{rows}, more than the limit of {allowed} has "
        f"room for{beside}: it was being filled on line {found.filled}",
        certainty="certain" if alone else "likely",
        location=place,
        culprit=Culprit(kind="array", name=holder.path, shape=group.shape, dtype=group.dtype, bytes=group.size_bytes),
        evidence=[
            Evidence(fact=f"bytes of `{holder.path}`", value=size, source="CensusTaken"),
            Evidence(fact="limit", value=allowed, source="LimitApplied"),
        ],
        advice=[
            f"Fill and use a part at a time (a generator of batches), or leave `{holder.path}` out where not all of it "
            f"is needed{use}.",
        ],
    )
