"""The names of one unpacking stand in another order than the values that the call gives.

## What it detects
An exception about arrays that do not belong together, where all of them are names of one unpacking (`x, x_test, y,
y_test = split(…)`), and another order of these names makes every pair agree.

## Why it happens
Functions that split data give their parts in different orders: scikit-learn's `train_test_split` both parts of the
first array and then those of the second, others all that belongs to training first.

## Evidence
The shapes of all names of the unpacking, recorded at the exception, and the statement that unpacks them.

## How it is proved
Which name belongs to which is told by the names themselves (`x_train`, `y_train`, `x_test`). An order counts only if
with it inputs and targets of each part have as many rows, all inputs have one shape per row and all targets have one;
of several such orders the one that moves the fewest names and leaves the inputs wider than the targets: likely.

## Fix
The names in the order of the values.

## Known problems
Names that were given other values since are not followed.
"""

from __future__ import annotations

import ast
import math
import re
from itertools import permutations
from typing import NamedTuple

from whydied.diagnose.case import Case, line_words, prefix
from whydied.diagnose.data.failing_data import Failing, fact, failing
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import Frame
from whydied.source.edits.edit import Change, over
from whydied.source.origins.reaching import reaching
from whydied.source.trees import nodes_on, scope_at, tree_of, walk, within, written

ROLE = "explanation"
_FEWEST, _MOST = 4, 6
_PARTS = frozenset({"train", "training", "tr", "test", "testing", "te", "val", "valid", "validation", "dev", "eval"})
"""Words for a part of the data: two names that differ by these are not inputs and targets."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
Shape = tuple[int | None, ...]


class _Name(NamedTuple):
    """What a name says: `role` is True for inputs, `part` what is left of it."""

    role: bool
    part: tuple[str, ...]


def check(case: Case) -> Finding | None:
    found = failing(case)
    for frame in reversed(found.link.frames) if found is not None else ():
        if found is None or not frame.user or frame.file not in found.sources:
            continue
        finding = _at(found, frame)
        if finding is not None:
            return finding
    return None


def _at(found: Failing, frame: Frame) -> Finding | None:
    scope = scope_at(tree_of(found.sources, frame.file), frame.line)
    used = [one.id for one in nodes_on(found.sources[frame.file], frame.line) if isinstance(one, ast.Name)]
    shapes = {one.name: tuple(one.shape) for one in frame.locals if one.shape}
    for node in within(scope):
        target = node.targets[0] if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) else None
        if not isinstance(node, ast.Assign) or not isinstance(target, ast.Tuple | ast.List):
            continue
        names = [one for one in walk(target, ast.Name) if isinstance(one.ctx, ast.Store)]
        names.sort(key=lambda one: (one.lineno, one.col_offset))
        texts = [one.id for one in names]
        if not _FEWEST <= len(set(texts)) == len(texts) <= _MOST or not shapes.keys() >= set(texts):
            continue
        pair = [one for one in dict.fromkeys(used) if one in texts][:2]
        if len(pair) < 2 or shapes[pair[0]][0] == shapes[pair[1]][0] or not _is_kept(node, texts, scope, frame.line):
            continue
        order = right_order(texts, [shapes[one] for one in texts], pair)
        if order is not None:
            return _finding(found, frame, node, names, order, shapes)
    return None


def _is_kept(node: ast.Assign, names: list[str], scope: ast.AST, line: int) -> bool:
    """Whether the names still are what the statement gave them."""
    seen = [reaching(name, scope, line) for name in names]
    return all(len(one.bindings) == 1 and one.bindings[0].node is node and not one.from_before for one in seen)


def right_order(names: list[str], shapes: list[Shape], pair: list[str]) -> list[str] | None:
    """The order of the names in which the values were given."""
    told = _meanings(names, pair)
    if told is None or _agree(told, dict(zip(names, shapes, strict=True))):
        return None
    fitting: list[tuple[tuple[int, ...], list[str]]] = []
    for order in permutations(names):
        given = dict(zip(order, shapes, strict=True))
        if _agree(told, given):
            moved = sum(one != other for one, other in zip(order, names, strict=True))
            # Of orders that move as many: inputs have more values per row than targets, and training has more rows.
            wide = math.prod(one or 1 for one in given[pair[0]][1:]), given[pair[0]][0] or 0
            fitting.append(((moved, -wide[0], -wide[1]), list(order)))
    fitting.sort(key=lambda one: one[0])
    is_plain = len(fitting) == 1 or (len(fitting) > 1 and fitting[0][0] < fitting[1][0])
    return fitting[0][1] if is_plain else None


def _agree(told: dict[str, _Name], shapes: dict[str, Shape]) -> bool:
    rows: dict[tuple[str, ...], int | None] = {}
    inner: dict[bool, Shape] = {}
    for name, meaning in told.items():
        shape = shapes[name]
        if (
            rows.setdefault(meaning.part, shape[0]) != shape[0]
            or inner.setdefault(meaning.role, shape[1:]) != shape[1:]
        ):
            return False
    return True


def _meanings(names: list[str], pair: list[str]) -> dict[str, _Name] | None:
    """Role and part of each name, by the words in which the two of one part differ; None where the names do not make
    whole pairs."""
    words = {name: _words(name, pair) for name in names}
    one, other = words[pair[0]], words[pair[1]]
    first, second = [w for w in one if w not in other], [w for w in other if w not in one]
    if len(first) != 1 or len(second) != 1 or _PARTS & {*first, *second}:
        return None
    found: dict[str, _Name] = {}
    for name, parts in words.items():
        if (first[0] in parts) == (second[0] in parts):
            return None
        is_first = first[0] in parts
        own = first[0] if is_first else second[0]
        found[name] = _Name(is_first, tuple(word for word in parts if word != own))
    every = [one.part for one in found.values()]
    return found if all(every.count(one) == 2 for one in every) and len(set(found.values())) == len(names) else None


def _words(name: str, pair: list[str]) -> list[str]:
    found = [word.lower() for word in _WORD.findall(name)]
    if len(found) == 1 and len(found[0]) > 1 and found[0][0] in "xy" and all(one[:1] in "xyXY" for one in pair):
        # `xtrain` beside `ytrain`.
        return [found[0][0], found[0][1:]]
    return found


def _finding(
    found: Failing, frame: Frame, node: ast.Assign, names: list[ast.Name], order: list[str], shapes: dict[str, Shape]
) -> Finding:
    where = found.located(frame.file, node.lineno)
    given = ", ".join(f"`{one.id}` {_shown(shapes[one.id])}" for one in names)
    source = found.sources[frame.file]
    edits = [over(source, frame.file, one, name) for one, name in zip(names, order, strict=True) if one.id != name]
    target = ast.parse(written(node.targets[0])).body[0]
    for one, name in zip(sorted(walk(target, ast.Name), key=lambda one: one.col_offset), order, strict=True):
        one.id = name
    right = written(target)
    right = right[1:-1] if right[:1] == "(" and right[-1:] == ")" and right.count("(") == 1 else right
    changes = (
        [Change(title=f"Unpack into `{right}`", kind="name", edits=edits)] if found.is_editable(frame.file) else []
    )
    return Finding(
        message=f"{prefix(where)}`{written(node.value.func)}` gives its parts in another order than the names take: "  # type: ignore[attr-defined]
        f"{given}; with `{right}` inputs and targets agree",
        certainty="likely",
        location=where,
        culprit=Culprit(kind="expression", name=written(node.targets[0]).strip("()")),
        evidence=[said(found.link), fact("unpacked from", f"{written(node.value)}, {line_words(where)}", "source")],
        advice=[f"Unpack into `{right}`."],
        changes=changes,
    )


def _shown(shape: Shape) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
