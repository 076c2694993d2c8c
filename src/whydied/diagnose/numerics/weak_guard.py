"""A guard of the program's own that did not keep an op inside of its domain: what it is, and the edit that makes it
hold. Pure.

What tells is the recorded value at the op's first bad elements, and the source.
"""

from __future__ import annotations

from typing import NamedTuple

from whydied.diagnose.case import Case, line_words
from whydied.diagnose.finding import Location
from whydied.records import FoundOp
from whydied.source.edits.edit import Change
from whydied.source.edits.runs.weak_guards import raised, safe_argument, unused_branch, weak_bound
from whydied.source.trees import located, written

KIND = "numeric-guard"
_INSIDE = {"Log": "1e-7", "Log1p": "1e-7", "Sqrt": "1e-12", "SqrtGrad": "1e-12", "Rsqrt": "1e-12", "RsqrtGrad": "1e-12"}
_FURTHER = "1e-6"
_DIVISIONS = frozenset({"RealDiv", "Div", "Xdivy"})


class WeakGuard(NamedTuple):
    place: Location
    words: str
    advice: str
    changes: list[Change]


def weak_guard(case: Case, place: Location | None, op: FoundOp, *, derived: bool = False) -> WeakGuard | None:
    """The bound or the `where` of the function of an op that was to prevent its bad value. `derived` says that the loss
    was finite and its derivative is not: then a value that is not finite itself was not taken."""
    source = case.sources.get(place.file) if place is not None else None
    if source is None or place is None:
        return None
    return _bound(case, place, op) or (_branch(case, place) if derived else None)


def _bound(case: Case, place: Location, op: FoundOp) -> WeakGuard | None:
    source = case.sources[place.file]
    divides = op.op in _DIVISIONS
    # What is divided, and an exponent, may be that number for other reasons.
    given = op.inputs[-1:] if divides else op.inputs[:1]
    for value in dict.fromkeys(text for one in given for text in one.at_bad):
        number = _number(value)
        found = weak_bound(source, place.line, number, divides=divides) if number is not None else None
        if found is None:
            continue
        at = located(case.sources, place.file, found.bound.lineno)
        function = written(found.call.func)
        by = _INSIDE.get(op.op, _FURTHER)
        edit = raised(source, place.file, found, by)
        where = "the derivative is not finite" if op.phase == "backward" else "it is not finite"
        return WeakGuard(
            at,
            f"`{function}` on {line_words(at)} lets {value} through, at which {where}",
            f"Bound it a little further inside: `{edit.text}` instead of `{written(found.bound)}`.",
            [
                Change(
                    title=f"Bound it at `{edit.text}` instead of `{written(found.bound)}`",
                    kind=KIND,
                    edits=[edit],
                    harm="same result",
                )
            ],
        )
    return None


def _branch(case: Case, place: Location) -> WeakGuard | None:
    source = case.sources[place.file]
    found = unused_branch(source, place.line)
    if found is None:
        return None
    at = located(case.sources, place.file, found.call.lineno)
    edits = safe_argument(source, place.file, place.line, found)
    unused = "False" if found.used_if else "True"
    condition = written(found.condition)
    change = Change(
        title=f"Compute it from 1 where `{condition}` is {unused}", kind=KIND, edits=edits, harm="same result"
    )
    return WeakGuard(
        place,
        f"`{written(found.call.func)}` ({line_words(at)}) does not take this value where `{condition}` is {unused}, "
        "but the derivative goes through both branches, and 0 times infinity is NaN",
        "Make the argument safe before it is used: `safe = tf.where(bad, tf.ones_like(x), x)`, and compute this branch "
        "from `safe`; `tf.where` after it is not enough.",
        [change] if edits else [],
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
