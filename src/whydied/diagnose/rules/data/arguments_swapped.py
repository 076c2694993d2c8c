"""Two arguments of a call of the program's own function are in each other's place.

## What it detects
An exception about a value that a function of the program's own made, or inside of such a function, where two arguments
of the call stand crosswise: each has the name of the other's parameter (`blobs(features, samples)` for `def
blobs(samples, features)`), or they are the two sizes of an array that fits with its axes exchanged.

## Why it happens
Both are numbers, or both are arrays, so that nothing is wrong with the call itself.

## Evidence
The call, followed from the failing value, and the parameters of the function, from the source; of numbers, the shape of
the array and the size that was expected, recorded at the exception.

## How it is proved
Names that match crosswise, of scalars or of two types, or a width that is the other argument, are no accident, but are
an inference: likely.

## Fix
The two arguments exchanged.

## Known problems
Only arguments by position can be in another order.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import NamedTuple

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, fact, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.records import ErrorFacts, Party
from whydied.source.calls import callee, parameters
from whydied.source.edits.edit import Change, over, written_in
from whydied.source.numbers import evaluate
from whydied.source.origins.trails import expressions_on
from whydied.source.trees import Function, last_name, written

ROLE = "explanation"
_SCALARS = ("int", "float", "str")


class _Called(NamedTuple):
    file: str
    call: ast.Call
    function: Function
    party: Party | None = None


def check(case: Case) -> Finding | None:
    found = failing(case, "ValueError", "TypeError", "IndexError", "InvalidArgumentError", "AttributeError")
    for one in _calls(found) if found is not None else ():
        if found is None or any(isinstance(part, ast.Starred) for part in one.call.args):
            continue
        names = parameters(one.function)[: len(one.call.args)]
        for left, right in combinations(range(len(names)), 2):
            why = _crosswise(found, names, one.call, left, right) or _exchanged(found, one, left, right)
            if why:
                return _finding(found, one, left, right, why)
    return None


def _calls(found: Failing) -> Iterator[_Called]:
    """The calls of own functions that were running, and those that made the values of the failing statement."""
    frames = [one for one in found.link.frames if one.user]
    # Deeper inside something else may have gone wrong, for which the order does not matter.
    for caller, inner in list(pairwise(frames))[-1:]:
        for node in expressions_on(found.sources, caller.file, caller.line):
            is_run = isinstance(node, ast.Call) and callee(node) == inner.function != caller.function
            own = found.trails.called(node) if isinstance(node, ast.Call) and is_run else None
            if own is not None and isinstance(node, ast.Call):
                yield _Called(caller.file, node, own[1])
    for facts in found.case.records.all(ErrorFacts):
        for party in facts.parties:
            for source in party.sources[:2]:
                for node in expressions_on(found.sources, source.frame.file, source.frame.line) if source.frame else ():
                    own = found.trails.called(node) if isinstance(node, ast.Call) else None
                    if own is not None and isinstance(node, ast.Call) and source.frame is not None:
                        yield _Called(source.frame.file, node, own[1], party)


def _crosswise(found: Failing, names: list[str], call: ast.Call, left: int, right: int) -> str:
    """Why two arguments are taken for exchanged: each is named like the other's parameter. Of two arrays the order
    often does not matter, or is meant."""
    given = [last_name(call.args[at]) for at in (left, right)]
    if given[0] != names[right] or given[1] != names[left] or given[0] == given[1]:
        return ""
    kinds = {one.name: one.type for frame in found.link.frames if frame.user for one in frame.locals}
    both = [kinds.get(one, "") for one in given]
    if not all(both) or (both[0] == both[1] and both[0] not in _SCALARS):
        return ""
    return f"`{given[0]}` is passed as `{names[left]}` and `{given[1]}` as `{names[right]}`"


def _exchanged(found: Failing, one: _Called, left: int, right: int) -> str:
    """Two written sizes of an array, where the width that is expected of it is the other of them."""
    shape = one.party.shape if one.party is not None else None
    sizes = [evaluate(one.call.args[at], {}) for at in (left, right)]
    if shape is None or len(shape) != 2 or sizes[0] == sizes[1] or shape != sizes:
        return ""
    widths = {
        size
        for facts in found.case.records.all(ErrorFacts)
        if facts.wanted is not None
        for size in (facts.wanted.axes.get("-1"), (facts.wanted.shape or [None])[-1])
        if size is not None
    }
    if widths != {sizes[0]} or one.party is None:
        return ""
    names = parameters(one.function)
    return (
        f"`{names[left]}` is {sizes[0]} and `{names[right]}` is {sizes[1]}, so `{one.party.text}` is "
        f"({shape[0]}, {shape[1]}), and a width of {sizes[0]} is expected"
    )


def _finding(found: Failing, one: _Called, left: int, right: int, why: str) -> Finding:
    where = found.located(one.file, one.call.lineno)
    source = found.sources[one.file]
    order = [written_in(source, part) for part in one.call.args]
    edits = [
        over(source, one.file, one.call.args[left], order[right]),
        over(source, one.file, one.call.args[right], order[left]),
    ]
    order[left], order[right] = order[right], order[left]
    words = [f"{word.arg}={written_in(source, word.value)}" for word in one.call.keywords if word.arg]
    text = f"{written(one.call.func)}({', '.join([*order, *words])})"
    defined = f"{one.function.name}({', '.join(parameters(one.function))})"
    return Finding(
        message=f"{prefix(where)}two arguments of `{one.function.name}` are in each other's place: {why}",
        certainty="likely",
        location=where,
        culprit=Culprit(kind="argument", name=written(one.call)),
        evidence=[
            said(found.link),
            fact("defined as", f"{defined}, {words_at(one.file, one.function.lineno)}", "source"),
        ],
        advice=[f"Write `{text}`."],
        changes=[Change(title=f"Write `{text}`", kind="argument", edits=edits)] if found.is_editable(one.file) else [],
    )
