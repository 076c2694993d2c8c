"""A slice with a written start or stop gives another number of rows than the program needs further down.

## What it detects
An array that cannot be reshaped, assigned or given to a model because it has too few or too many rows, where it was cut
out of a longer one with a number that is written: `test_data[115:].reshape(1, -1)`.

## Why it happens
The number was counted for data of another length, or is off by one.

## Evidence
The length of what was cut, recorded, from which the slice has just as many rows as were refused; the number of rows
that is needed.

## How it is proved
That the slice gave the refused rows follows from its numbers. That they are wrong, and not the size that is needed, is
an inference: likely.

## Fix
The slice with as many rows as are needed: the last ones where it goes to the end.

## Known problems
A slice whose ends are computed is not followed.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import NamedTuple

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, fact, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import ErrorFacts
from whydied.source.calls import callee
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.numbers import constants, evaluate
from whydied.source.trees import across, walk, written
from whydied.texts import estimators, shapes_and_types

ROLE = "explanation"
YIELDS_TO = ("grown-past-its-shape",)
_DEEPEST = 4


class _Refused(NamedTuple):
    """An expression that has `have` values where `wanted` are needed."""

    node: ast.expr
    have: int
    wanted: int


class _Cut(NamedTuple):
    """A slice that gives `rows` of the `whole` ones of its owner."""

    file: str
    node: ast.Subscript
    ends: ast.Slice
    whole: int
    rows: int
    needed: int


def check(case: Case) -> Finding | None:
    found = failing(case)
    if found is None or found.place.file not in found.sources:
        return None
    for refused in _refused(found):
        cuts = list(_cuts(found, refused))
        if len(cuts) == 1 and (changes := _changes(found, cuts[0])):
            return _finding(found, cuts[0], changes)
    return None


def _refused(found: Failing) -> Iterator[_Refused]:
    told = shapes_and_types.NOT_RESHAPED.search(found.link.message)
    if told is not None:
        shape = [int(one) for one in told["shape"].split(",") if one.strip()]
        for call in (one for one in found.expressions if isinstance(one, ast.Call) and callee(one) == "reshape"):
            of_module = isinstance(call.func, ast.Attribute) and written(call.func.value) in ("np", "numpy")
            base = call.args[0] if of_module and call.args else getattr(call.func, "value", None)
            if isinstance(base, ast.expr) and min(shape) > 0:
                yield _Refused(base, int(told["size"]), math.prod(shape))
    told = estimators.NOT_BROADCAST.search(found.link.message)
    if told is not None:
        given, room = (math.prod(int(one) for one in told[name].split(",") if one) for name in ("given", "room"))
        for file, node in across({found.place.file: found.sources[found.place.file]}, ast.Assign):
            if node.lineno <= found.place.line <= (node.end_lineno or node.lineno) and file:
                yield _Refused(node.value, given, room)
    for facts in found.case.records.all(ErrorFacts):
        yield from _of_model(found, facts)


def _of_model(found: Failing, facts: ErrorFacts) -> Iterator[_Refused]:
    """What a model was given that differs in one axis from what it takes."""
    expected = (facts.wanted.shape if facts.wanted is not None else None) or []
    names = {written(one): one for one in found.expressions if isinstance(one, ast.Name)}
    for party in facts.parties:
        shape = party.shape or []
        pairs = [(a, b) for a, b in zip(shape, expected, strict=False) if a is not None and b is not None and a != b]
        if len(shape) == len(expected) and len(pairs) == 1 and party.text in names:
            known = [one for one in shape if one is not None]
            have = math.prod(known)
            yield _Refused(names[party.text], have, have // pairs[0][0] * pairs[0][1])


def _cuts(found: Failing, refused: _Refused) -> Iterator[_Cut]:
    """The slices behind an expression that give as many values as were refused, and could give as many as are
    needed."""
    seen: set[int] = set()
    for file, value in _behind(found, refused.node):
        for node in [one for one in ast.walk(value) if isinstance(one, ast.Subscript)]:
            ends = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
            shape = _shape(found, written(node.value))
            if id(node) in seen or not isinstance(ends, ast.Slice) or not shape or ends.step is not None:
                continue
            seen.add(id(node))
            numbers = [None if one is None else _literal(one) for one in (ends.lower, ends.upper)]
            if all(one is None for one in numbers) or any(
                one is not None and number is None
                for one, number in zip((ends.lower, ends.upper), numbers, strict=True)
            ):
                continue
            whole, row = shape[0], math.prod(shape[1:])
            rows = len(range(*slice(*numbers).indices(whole)))
            if row and rows * row == refused.have and refused.wanted % row == 0:
                needed = refused.wanted // row
                if 0 < needed <= whole and needed != rows:
                    yield _Cut(file, node, ends, whole, rows, needed)


def _behind(found: Failing, node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """An expression, and everything that the names in it were given."""
    yield found.place.file, node
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    seen: set[str] = set()
    for _ in range(_DEEPEST):
        further: set[str] = set()
        for file, one in across(found.sources, ast.Assign):
            targets = {part.id for target in one.targets for part in walk(target, ast.Name)}
            if targets & names - seen:
                yield file, one.value
                further |= {part.id for part in walk(one.value, ast.Name)}
        seen |= names
        names = further - seen


def _shape(found: Failing, name: str) -> list[int]:
    """The shape or the length of a variable of the user's frames, at the failure."""
    for frame in reversed([one for one in found.link.frames if one.user]):
        for one in frame.locals:
            if one.name == name:
                sizes = one.shape if one.shape is not None else [one.length] if one.length is not None else []
                return [size for size in sizes if size is not None] if None not in sizes else []
    return []


def _literal(node: ast.expr) -> int | None:
    value = evaluate(node, {})
    return value if type(value) is int and not any(isinstance(one, ast.Name) for one in ast.walk(node)) else None


def _changes(found: Failing, cut: _Cut) -> list[Change]:
    source = found.sources.get(cut.file)
    if source is None or not found.is_editable(cut.file):
        return []
    owner, size = written_in(source, cut.node.value), _named(found, cut) or str(cut.needed)
    lower, upper = (None if one is None else _literal(one) for one in (cut.ends.lower, cut.ends.upper))
    if upper is None:
        ways = [f"-{size}:"]
    elif not lower:
        ways = [f":{size}"]
    else:
        stop, start = lower + cut.needed, upper - cut.needed
        ways = [f"{lower}:{stop}"] if lower < 0 or 0 <= stop <= cut.whole else []
        ways += [f"{start}:{upper}"] if start >= 0 else []
    made = []
    for way in ways:
        edit = over(source, cut.file, cut.ends, way)
        made.append(Change(title=f"Write `{owner}[{way}]`", kind="expression", edits=[edit]))
    return made


def _named(found: Failing, cut: _Cut) -> str:
    """The only name that has the number of rows that are needed, made above the slice."""
    names = {
        name
        for file, source in found.sources.items()
        for name, value in constants(source.tree).items()
        if value == cut.needed and _is_above(found, file, name, cut)
    }
    return names.pop() if len(names) == 1 else ""


def _is_above(found: Failing, file: str, name: str, cut: _Cut) -> bool:
    files = list(found.sources)
    lines = [one.lineno for one in walk(found.sources[file].tree, ast.Name) if one.id == name and _is_stored(one)]
    if file == cut.file:
        return bool(lines) and max(lines) < cut.node.lineno
    return files.index(file) < files.index(cut.file) and file.rpartition("/")[0] == cut.file.rpartition("/")[0]


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _finding(found: Failing, cut: _Cut, changes: list[Change]) -> Finding:
    place = found.located(cut.file, cut.node.lineno)
    text, owner = written(cut.node), written(cut.node.value)
    at = words_at(found.place.file, found.place.line)
    return Finding(
        message=f"{prefix(place)}`{text}` gives {cut.rows:,} of the {cut.whole:,} rows of `{owner}`, and {at} needs "
        f"{cut.needed:,}",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="expression", name=text),
        evidence=[said(found.link), fact(f"length of `{owner}`", f"{cut.whole:,}", "ExceptionRaised")],
        advice=[f"{change.title}." for change in changes],
        changes=changes,
    )
