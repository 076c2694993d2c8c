"""An array that is to hold the data was made with a written size that the data do not have.

## What it detects
Arrays that are joined, or a part of an array that is assigned, where one axis differs: one of both was made by the
program with a size that it writes (`np.empty((0, input_size))`), the other one was read or computed.

## Why it happens
The number was written for other data (half of the picture, another camera), often in another file.

## Evidence
Both shapes, recorded; the written number, followed through parameters, attributes and files to its statement.

## How it is proved
That the sizes differ was seen. That the written one is wrong, and not the data, is an inference: likely.

## Fix
The size of the data where the number is written: by the names that the file has for it, else as a number.

## Known problems
A size that is computed from the data, or a shape that is put together of parts, is not followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, fact, failing, words_at
from whydied.diagnose.data.made_sizes import MadeExtent, made_extent
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Change, over
from whydied.source.numbers import constants, evaluate
from whydied.source.trees import tree_of, written
from whydied.texts import estimators

ROLE = "explanation"
YIELDS_TO = ("picture-channels-differ",)
_ALONG = {"vstack": 0, "hstack": 1, "concatenate": 0, "append": 0, "row_stack": 0}


class Differing(NamedTuple):
    """One axis of an array that has `size`, where `other` has `wanted`."""

    array: ast.expr
    axis: int
    size: int
    other: ast.expr
    wanted: int


def check(case: Case) -> Finding | None:
    found = failing(case, "ValueError")
    if found is None:
        return None
    made = [(one, extent) for one in _differing(found) if (extent := _written(found, one)) is not None]
    return _finding(found, *made[0]) if len(made) == 1 else None


def _differing(found: Failing) -> Iterator[Differing]:
    for node in found.expressions:
        if isinstance(node, ast.Call) and callee(node) in _ALONG and node.args:
            yield from _joined(found, node)
    told = estimators.NOT_BROADCAST.search(found.link.message)
    source = found.sources.get(found.place.file)
    if told is None or source is None:
        return
    given, room = ([int(one) for one in told[name].split(",") if one] for name in ("given", "room"))
    axes = [at for at, (one, other) in enumerate(zip(given, room, strict=False)) if one != other]
    targets = [one for one in found.expressions if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store)]
    shape = _shape(found, targets[0].value) if len(targets) == 1 else None
    value = _assigned(found, targets[0]) if len(targets) == 1 else None
    if len(given) == len(room) and len(axes) == 1 and shape is not None and value is not None:
        at = len(shape) - len(room) + axes[0]
        if 0 <= at < len(shape) and shape[at] == room[axes[0]]:
            yield Differing(targets[0].value, at, room[axes[0]], value, given[axes[0]])


def _joined(found: Failing, call: ast.Call) -> Iterator[Differing]:
    """Each of two arrays that are joined, with the only axis along which they differ."""
    first = call.args[0]
    parts = first.elts if isinstance(first, ast.Tuple | ast.List) else call.args[:2]
    shapes = [_shape(found, one) for one in parts]
    axis = passed_argument(call, "axis") or (call.args[1] if callee(call) == "concatenate" and call.args[1:] else None)
    along = evaluate(axis, {}) if axis is not None else _ALONG[callee(call)]
    if len(parts) != 2 or along is None or shapes[0] is None or shapes[1] is None or len(shapes[0]) != len(shapes[1]):
        return
    rank = len(shapes[0])
    axes = [at for at in range(rank) if at != int(along) % max(rank, 1) and shapes[0][at] != shapes[1][at]]
    for one, other in ((0, 1), (1, 0)):
        size, wanted = ((shapes[at] or [])[axes[0]] if len(axes) == 1 else None for at in (one, other))
        if size is not None and wanted is not None:
            yield Differing(parts[one], axes[0], size, parts[other], wanted)


def _shape(found: Failing, node: ast.expr) -> list[int | None] | None:
    held = found.operand(written(node)) or found.looked(written(node))
    return held.shape if held is not None else None


def _assigned(found: Failing, target: ast.expr) -> ast.expr | None:
    for node in ast.walk(tree_of(found.sources, found.place.file)):
        if isinstance(node, ast.Assign) and target in node.targets:
            return node.value
    return None


def _written(found: Failing, one: Differing) -> MadeExtent | None:
    """Where the size is a number of the program's, and that of the other is not."""
    extent = made_extent(found, one.array, one.axis)
    if extent is None or made_extent(found, one.other, one.axis) is not None:
        return None
    known = constants(tree_of(found.sources, extent.file))
    return extent if evaluate(extent.size, known) == one.size else None


def _finding(found: Failing, one: Differing, extent: MadeExtent) -> Finding:
    where = found.located(extent.file, extent.line)
    array, other = written(one.array), written(one.other)
    text = written(extent.size)
    said_so = f"`{text}`" if text != extent.name else "written"
    at = words_at(found.place.file, found.place.line)
    right = _named(found, extent, one.wanted) or str(one.wanted)
    changes = []
    if found.is_editable(extent.file):
        edit = over(found.sources[extent.file], extent.file, extent.size, right)
        changes = [Change(title=f"Write `{right}`", kind="expression", edits=[edit])]
    return Finding(
        message=f"{prefix(where)}`{extent.name}` is {one.size} ({said_so}), with which `{array}` is made on "
        f"{words_at(extent.made_file, extent.made_line)}, but `{other}` on {at} has {one.wanted} on that axis",
        certainty="likely",
        location=where,
        culprit=Culprit(kind="expression", name=extent.name, value=str(one.size)),
        evidence=[
            said(found.link),
            *(fact(f"shape of `{written(node)}`", str(_shape(found, node))) for node in (one.array, one.other)
              if _shape(found, node) is not None),
        ],
        advice=[f"`{extent.name}` would have to be {one.wanted}, as the data have: write `{right}`."],
        changes=changes,
    )  # fmt: skip


def _named(found: Failing, extent: MadeExtent, wanted: int) -> str:
    """The only name, or product of two names, of the same file that has a value above the line."""
    tree = tree_of(found.sources, extent.file)
    own = {
        one.id
        for node in tree.body
        if isinstance(node, ast.Assign) and node.lineno < extent.line
        for target in node.targets
        for one in ast.walk(target)
        if isinstance(one, ast.Name)
    }
    known = {name: value for name, value in constants(tree).items() if name in own and value > 1}
    single = [name for name, value in known.items() if value == wanted]
    double = [f"{one} * {other}" for one, other in combinations(known, 2) if known[one] * known[other] == wanted]
    return (single or double)[0] if len(single or double) == 1 else ""
