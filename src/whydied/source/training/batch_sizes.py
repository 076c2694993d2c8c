"""Where the user's source chose a batch size or a keyword's value. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from whydied.source.calls import bound_arguments, callee, parameters, passed_argument
from whydied.source.location import Location
from whydied.source.numbers import constants, evaluate
from whydied.source.text import Source
from whydied.source.training.written_batches import written_batch
from whydied.source.trees import around, located, nodes_at, walk, written

_BATCHING = {"batch", "padded_batch", "ragged_batch"}


class BatchSizePlace(NamedTuple):
    """The statement that chose a batch, and the name that it goes by there."""

    location: Location
    name: str


def batch_size_place(
    sources: Mapping[str, Source], place: Location, rows: int | None, method: str
) -> BatchSizePlace | None:
    """Where a batch of so many rows was chosen: the keyword of the call itself, else the `.batch(…)` of a data set or a
    `batch_size=` of another call with that value, else the only place that writes that number under such a name."""
    for call in [node for node in nodes_at(sources, place) if isinstance(node, ast.Call) and callee(node) == method]:
        if passed_argument(call, "batch_size") or (method == "fit" and len(call.args) > 2):
            return BatchSizePlace(place, "batch_size")
    if rows is None:
        return None
    for file, source in sources.items():
        known = constants(source.tree)
        for call in walk(source.tree, ast.Call):
            value = batch_size_of(call)
            if value is not None and rows_of(value, source.tree, known) == rows:
                word = "batch_size" if passed_argument(call, "batch_size") else "batch"
                name = written(value) if isinstance(value, ast.Name | ast.Attribute) else word
                return BatchSizePlace(located(sources, file, call.lineno), name)
    found = written_batch(sources, rows)
    return BatchSizePlace(located(sources, found.file, found.number.lineno), found.name) if found is not None else None


def keyword_place(sources: Mapping[str, Source], word: str, value: int) -> Location | None:
    """The statement that gives a keyword that value, in a call of anything."""
    for file, source in sources.items():
        known = constants(source.tree)
        for call in walk(source.tree, ast.Call):
            chosen = passed_argument(call, word)
            if chosen is not None and rows_of(chosen, source.tree, known) == value:
                return located(sources, file, call.lineno)
    return None


def batch_size_of(call: ast.Call) -> ast.expr | None:
    """The batch size that a call is given, where it is a call that takes one."""
    batches = isinstance(call.func, ast.Attribute) and call.func.attr in _BATCHING
    return passed_argument(call, "batch_size") or (passed_argument(call, "0") if batches else None)


def rows_of(value: ast.expr, tree: ast.Module, known: dict[str, float]) -> float | None:
    """What a batch size is; a parameter of a function has the value that its calls or its default give it."""
    number = evaluate(value, known)
    if number is None and isinstance(value, ast.Attribute):
        return _attribute(value, tree, known)
    if number is not None or not isinstance(value, ast.Name):
        return number
    for function in around(tree, value.lineno, ast.FunctionDef):
        if value.id not in parameters(function):
            continue
        for call in walk(tree, ast.Call):
            if callee(call) == function.name and (chosen := bound_arguments(call, function).get(value.id)):
                return evaluate(chosen, known)
        defaults = dict(zip(reversed(parameters(function)), reversed(function.args.defaults), strict=False))
        if value.id in defaults:
            return evaluate(defaults[value.id], known)
    return None


def _attribute(value: ast.Attribute, tree: ast.Module, known: dict[str, float]) -> float | None:
    """What `self.batch_size` is, where one statement sets it."""
    given = [
        (one.value, target)
        for one in walk(tree, ast.Assign)
        for target in one.targets
        if isinstance(target, ast.Attribute) and target.attr == value.attr
    ]
    if len(given) != 1 or isinstance(given[0][0], ast.Attribute):
        return None
    return rows_of(given[0][0], tree, known)
