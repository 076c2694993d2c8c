"""A function is told an axis that its tensor does not have, or one that it cannot take.

## What it detects
A call of TensorFlow or NumPy whose `axis` (of a sum, a mean, an argmax, a concat, a stack, a gather, a split) lies
outside of the axes of the tensor; a `squeeze` of an axis that has more than one entry; a `transpose` with another
number of axes than the tensor has; a `split` into parts that do not divide the axis.

## Why it happens
The number counts an axis that the tensor has not, often that of the batch: the code was written for a batch and gets
one item, or the other way round.

## Evidence
The shape of the tensor on the failing line and the axis in its source: with n axes, -n to n-1 are valid.

## How it is proved
By the numbers alone: certain. Another axis is advised only where the same check accepts it.

## Fix
An axis that the tensor has.

## Known problems
A tensor that is computed within the call is known only where the op's operands were recorded.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.framework_error import framework_error, shape_words
from whydied.diagnose.errors.usage import root_link, said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.records import RaisedException
from whydied.source.calls import callee
from whydied.source.edits.call_edits import set_argument
from whydied.source.edits.edit import Change
from whydied.source.numbers import evaluate
from whydied.source.text import Source
from whydied.source.trees import nodes_on, written

ROLE = "explanation"
YIELDS_TO = ("api-removed", "argument-renamed", "signature-mismatch", "partial-batch")
_ERRORS = ("InvalidArgumentError", "ValueError", "AxisError", "IndexError")
_REDUCTIONS = (
    *("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_any", "reduce_all"),
    *("reduce_std", "reduce_variance", "reduce_logsumexp", "sum", "mean", "max", "min", "prod", "std", "var", "any"),
    *("all", "argmax", "argmin", "cumsum", "cumprod", "median"),
)
_PLACES: dict[str, int | None] = {
    **dict.fromkeys(_REDUCTIONS, 1),
    **dict.fromkeys(("squeeze", "expand_dims", "concat", "concatenate", "stack", "reverse", "flip", "sort"), 1),
    **dict.fromkeys(("split", "repeat", "unstack"), 2),
    **dict.fromkeys(("gather", "take", "softmax", "l2_normalize"), None),
}
"""The place of `axis` among the arguments; None where it is given by its name."""
_ONE_MORE = frozenset({"expand_dims", "stack"})
_LISTED = frozenset({"stack", "concat", "concatenate"})


class _Told(NamedTuple):
    """`ways` are other texts of the argument `word`, each with what it gives."""

    words: str
    word: str
    place: int | None
    ways: list[tuple[str, str]]
    advice: str = ""


class _Given(NamedTuple):
    call: ast.Call
    name: str
    shape: list[int | None]
    before: int

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def words(self) -> str:
        return f"`{self.name}` {shape_words(self.shape)}"

    def argument(self, word: str, place: int | None) -> ast.expr | None:
        named = next((one.value for one in self.call.keywords if one.arg == word), None)
        at = place - self.before if place is not None else len(self.call.args)
        return named if named is not None else self.call.args[at] if 0 <= at < len(self.call.args) else None


def check(case: Case) -> Finding | None:
    link = root_link(case)
    frames = [one for one in link.frames if one.user] if link is not None else []
    if link is None or not frames or link.type not in _ERRORS:
        return None
    file = frames[-1].file
    source = case.sources.get(file)
    for given in _calls(case, link, source, frames[-1].line) if source is not None else ():
        told = _axis(given, link) or _squeezed(given, link) or _permuted(given, link) or _parts(given, link)
        if told is None or source is None:
            continue
        place = case.locate(frames[-1])
        sentence, changes = _advice(source, file, given, told)
        return Finding(
            message=f"{prefix(place)}{told.words}",
            certainty="certain",
            location=place,
            culprit=Culprit(kind="argument", name=told.word, shape=given.shape),
            evidence=[
                said(link),
                Evidence(fact=f"`{given.name}` on that line", value=shape_words(given.shape), source="ExceptionRaised"),
            ],
            advice=sentence,
            changes=changes,
        )
    return None


def _calls(case: Case, link: RaisedException, source: Source, line: int) -> list[_Given]:
    """The calls of the statement whose function takes an axis, with the tensor that each is of."""
    found = []
    shapes = {one.text: one.shape for one in link.operands if one.shape is not None}
    error = framework_error(case)
    shapes |= {one.text: one.shape for one in error.of_role("operand") if one.text and one.shape} if error else {}
    for call in (one for one in nodes_on(source, line) if isinstance(one, ast.Call)):
        name = callee(call)
        if not isinstance(call.func, ast.Attribute) or (name not in _PLACES and name != "transpose"):
            continue
        owner = call.func.value
        is_method = written(owner) in shapes
        subject = owner if is_method else call.args[0] if call.args else None
        if subject is not None and name in _LISTED and isinstance(subject, ast.List | ast.Tuple) and subject.elts:
            subject = subject.elts[0]
        shape = shapes.get(written(subject)) if subject is not None else None
        if subject is not None and shape is not None:
            found.append(_Given(call, written(subject), shape, int(is_method)))
    return found


def _numbers(node: ast.expr | None, link: RaisedException) -> list[int] | None:
    """Whole numbers as they are written, or as a variable had them."""
    if isinstance(node, ast.List | ast.Tuple):
        each = [_numbers(one, link) for one in node.elts]
        return [one[0] for one in each if one] if all(each) else None
    if node is None:
        return None
    told = next((one.value for one in link.operands if one.text == written(node) and one.type == "int"), None)
    value = float(told) if told is not None else evaluate(node, {})
    return [int(value)] if value is not None and float(value).is_integer() else None


def _axis(given: _Given, link: RaisedException) -> _Told | None:
    """An axis beyond those that there are."""
    name = callee(given.call)
    if name not in _PLACES:
        return None
    numbers = _numbers(given.argument("axis", _PLACES[name]), link)
    rank = given.rank + (name in _ONE_MORE)
    wrong = [one for one in numbers or [] if not -rank <= one < rank]
    if not numbers or not wrong:
        return None
    has = f"has {given.rank} {'axis' if given.rank == 1 else 'axes'}" if given.rank else "is a scalar"
    valid = f", so {-rank} to {rank - 1} are valid" if rank else ""
    words = f"`axis={wrong[0]}` of `{written(given.call.func)}` is out of range: {given.words} {has}{valid}"
    if len(numbers) > 1:
        left = [one for one in numbers if one not in wrong]
        ways = [(str(left), "")] if left else []
    else:
        nearest = rank - 1 if wrong[0] > 0 else -rank
        order = sorted(range(rank), key=lambda one: abs(one - nearest % rank)) if rank else []
        ways = [(_shown(one, rank), _after(name, given.shape, one)) for one in order[:2]]
    return _Told(words, "axis", _place(given, _PLACES[name]), ways)


def _shown(axis: int, rank: int) -> str:
    return "-1" if axis == rank - 1 and rank > 1 else str(axis)


def _place(given: _Given, place: int | None) -> int | None:
    return place - given.before if place is not None else None


def _after(name: str, shape: list[int | None], axis: int) -> str:
    """What a function gives along an axis, where that follows from the shape."""
    if name in _REDUCTIONS and name not in ("cumsum", "cumprod"):
        return shape_words([*shape[:axis], *shape[axis + 1 :]])
    if name == "expand_dims":
        return shape_words([*shape[:axis], 1, *shape[axis:]])
    return ""


def _squeezed(given: _Given, link: RaisedException) -> _Told | None:
    numbers = _numbers(given.argument("axis", 1), link) if callee(given.call) == "squeeze" else None
    wrong = [one for one in numbers or [] if -given.rank <= one < given.rank and given.shape[one] not in (1, None)]
    if not wrong:
        return None
    size = given.shape[wrong[0]]
    words = f"axis {wrong[0]} of {given.words} has {size} entries, and `squeeze` removes only an axis with one"
    single = [at for at, one in enumerate(given.shape) if one == 1]
    ways = [(str(at), shape_words([*given.shape[:at], *given.shape[at + 1 :]])) for at in single[:1]]
    index = ", ".join([*[":"] * (wrong[0] % given.rank), "0"])
    advice = f"Leave the `squeeze` out to keep all {size}, or take one of them: `{given.name}[{index}]`."
    return _Told(words, "axis", _place(given, 1), ways, "" if ways else advice)


def _permuted(given: _Given, link: RaisedException) -> _Told | None:
    """A permutation of another number of axes, most often with or without that of the batch."""
    if callee(given.call) != "transpose":
        return None
    word = "perm" if link.module.startswith("tensorflow.") else "axes"
    node = given.argument("perm", 1) or given.argument("axes", 1)
    order = _numbers(node, link) if isinstance(node, ast.List | ast.Tuple) else None
    if order is None or (
        len(order) == given.rank and sorted(one % given.rank for one in order) == [*range(given.rank)]
    ):
        return None
    words = (
        f"`{written(node)}` orders {len(order)} axes, and {given.words} has {given.rank}" if node is not None else ""
    )
    if len(order) == given.rank:
        words = f"`{written(node)}` does not name each of the {given.rank} axes of {given.words} once" if node else ""
    without = [one - 1 for one in order[1:]] if order[:1] == [0] else []
    within = [0, *(one + 1 for one in order)]
    fits = [one for one in (without, within) if sorted(one) == [*range(given.rank)]]
    ways = [(str(one), shape_words([given.shape[at] for at in one])) for one in fits]
    return _Told(words, word, _place(given, 1), ways)


def _parts(given: _Given, link: RaisedException) -> _Told | None:
    """A number of parts that does not divide the axis."""
    if callee(given.call) != "split" or not link.module.startswith("tensorflow."):
        # In NumPy a list would be the places of the cuts.
        return None
    count, axis = _numbers(given.argument("num_or_size_splits", 1), link), _numbers(given.argument("axis", 2), link)
    at = axis[0] if axis else 0
    node = given.argument("num_or_size_splits", 1)
    size = given.shape[at] if -given.rank <= at < given.rank else None
    if not count or size is None or isinstance(node, ast.List | ast.Tuple) or count[0] < 1 or size % count[0] == 0:
        return None
    parts = [size // count[0] + (one < size % count[0]) for one in range(count[0])]
    words = f"axis {at} of {given.words} has {size} entries, which {count[0]} equal parts do not divide"
    return _Told(words, "num_or_size_splits", 1, [(str(parts), "")] if count[0] <= 8 and size >= count[0] else [])


def _advice(source: Source, file: str, given: _Given, told: _Told) -> tuple[list[str], list[Change]]:
    if told.advice:
        return [told.advice], []
    words, changes = [], []
    for text, gives in told.ways:
        shown = f"`{text}`" if told.word == "num_or_size_splits" else f"`{told.word}={text}`"
        words.append(f"{shown}, which gives {gives}" if gives else shown)
        edit = set_argument(source, file, given.call, told.word, told.place, text)
        if edit is not None:
            changes.append(Change(title=f"Write {shown}", kind="argument", edits=[edit]))
    return ([f"Write {', or '.join(words)}."] if words else []), changes
