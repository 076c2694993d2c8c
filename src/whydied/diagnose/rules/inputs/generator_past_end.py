"""A generator counts its rows upwards for ever and goes beyond the end of its data.

## What it detects
An error of an index inside of a generator that loops with `while True`, where the number that chooses the rows is only
ever increased.

## Why it happens
Keras asks a generator for as many batches as all epochs need: `steps_per_epoch` times `epochs`. One that does not begin
again at the end runs out of rows in a later epoch.

## Evidence
The frame of the generator, recorded with the exception; its loop, from the source: what it adds to, and that nothing
sets it back.

## How it is proved
The index was refused in this loop: certain. That it should begin again is read from the source: likely.

## Fix
The number modulo the length of the data, or set to 0 at the end.

## Known problems
None known.
"""

from __future__ import annotations

import ast

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.data.failing_data import Failing, failing, words_at
from whydied.diagnose.errors.usage import said
from whydied.diagnose.finding import Culprit, Finding
from whydied.source.bindings import bindings
from whydied.source.edits.edit import Change, statement
from whydied.source.origins.trails import root_name
from whydied.source.trees import around, function_at, tree_of, walk, written

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    found = failing(case, "IndexError", "KeyError")
    if found is None:
        return None
    tree = tree_of(found.sources, found.place.file)
    function = function_at(tree, found.place.line)
    loops = [one for one in around(tree, found.place.line, ast.While) if written(one.test) in ("True", "1")]
    if function is None or not walk(function, ast.Yield) or not loops:
        return None
    for node in [one for one in found.expressions if isinstance(one, ast.Subscript)]:
        for name in _counted(found, node):
            inner = [one for one in bindings(name, function) if loops[-1].lineno < one.line]
            added = [
                one
                for one in walk(loops[-1], ast.AugAssign)
                if written(one.target) == name and isinstance(one.op, ast.Add)
            ]
            if len(added) == 1 and not inner:
                return _finding(found, node, name, added[0])
    return None


def _counted(found: Failing, node: ast.Subscript) -> list[str]:
    """The names that an index is made of, through one assignment."""
    names = [one.id for one in walk(node.slice, ast.Name)]
    for one in walk(node.slice, ast.Name):
        steps = found.trails.trail(found.place.file, found.place.line, one)
        seen = found.trails.bound(found.place.file, found.place.line, one.id)
        for value in [step.value for step in steps[:1]] + [other.value for _, other in seen[:1] if other.value]:
            names += [inner.id for inner in walk(value, ast.Name)]
    return list(dict.fromkeys(names))


def _finding(found: Failing, node: ast.Subscript, name: str, added: ast.AugAssign) -> Finding:
    place = found.located(found.place.file, added.lineno)
    data = root_name(node.value)
    step = written(added.value)
    right = f"{name} = ({name} + {step}) % len({data})"
    edit = statement(found.sources[found.place.file], found.place.file, added.lineno, right)
    return Finding(
        message=f"{prefix(place)}`{name}` is only ever increased, and goes beyond the end of `{data}` on "
        f"{words_at(found.place.file, found.place.line)}: Keras asks for more batches than it has",
        certainty="likely",
        location=place,
        culprit=Culprit(kind="expression", name=name),
        evidence=[said(found.link)],
        advice=[f"Begin again at the end: `{right}`."],
        changes=[Change(title="Begin again at the end", kind="statement", edits=[edit])]
        if found.is_editable(found.place.file)
        else [],
    )
