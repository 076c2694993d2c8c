"""The same rows are in memory two or three times, or in a type twice as wide as needed.

## What it detects
Large arrays and tensors with the same contents in different memory, and float64 arrays beside their float32
twins, that make up a good part of the memory; also a program that was killed while it made such a copy.

## Why it happens
Data are read as float64, cast to float32, then made into a tensor; a list of arrays is stacked and kept;
`train_test_split` and fancy indexing copy; each stage keeps its variable alive.

## Evidence
The last census: large arrays and tensors with the same sampled contents, their bytes and the variables that hold
them; the statements that assign those variables.

## How it is proved
The copies must make up at least a fifth of what the program held above its libraries, and at least 48 MiB.
Certain from a third on, where the census itself saw the copy; likely otherwise, and where the program was
killed in a statement that copies a variable that the census knows.

## Fix
Let go of the first (`del`), make the conversion where the data are read, or convert batch by batch (`tf.data`,
a generator). Read as float32 at once.

## Known problems
Contents are compared by a few dozen values spread over the array.

## References
None.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from whydied import words
from whydied.diagnose.act import own_bytes
from whydied.diagnose.case import Case, prefix
from whydied.diagnose.choice import enclosing, nodes_at
from whydied.diagnose.finding import Certainty, Culprit, Evidence, Finding, Location
from whydied.diagnose.footprint import censuses
from whydied.diagnose.surge import surge_of
from whydied.records import CensusTaken, ObjectGroup

SMALLEST_BYTES = 48 << 20
SHARE = 0.2
CERTAIN_SHARE = 1 / 3
SOURCE_SHARE = 0.15
_COPYING = {
    "astype", "copy", "array", "asarray", "constant", "convert_to_tensor", "stack", "vstack", "hstack", "concatenate",
    "concat", "tile", "repeat", "cast", "from_tensor_slices", "deepcopy", "ascontiguousarray", "reshape", "float32",
    "float64", "Variable", "to_numpy", "tolist", "train_test_split", "flatten", "numpy", "fit", "transform",
}  # fmt: skip


class Copy(NamedTuple):
    """A variable whose contents are those of another."""

    name: str
    original: str
    group: ObjectGroup
    size_bytes: int


def check(case: Case) -> Finding | None:
    taken = censuses(case)
    if not taken:
        return None
    census = taken[-1][1]
    return _seen(case, census) or _being_made(case, census)


def _seen(case: Case, census: CensusTaken) -> Finding | None:
    copies = _copies(census)
    wasted = sum(copy.size_bytes for copy in copies)
    if wasted < max(SMALLEST_BYTES, SHARE * own_bytes(case)):
        return None
    largest = max(copies, key=lambda copy: copy.size_bytes)
    place = assignment(case, largest.name)
    certainty: Certainty = "certain" if wasted >= CERTAIN_SHARE * own_bytes(case) and place else "likely"
    names = ", ".join(f"`{copy.name}`" for copy in copies[:3])
    verb = "is a copy" if len(copies) == 1 else "are copies"
    return Finding(
        message=f"{prefix(place)}{names} {verb} of `{largest.original}`, "
        f"so that {words.size(wasted)} are in memory more than once",
        certainty=certainty,
        location=place,
        culprit=Culprit(
            kind=largest.group.kind,
            name=largest.name,
            shape=largest.group.shape,
            dtype=largest.group.dtype,
            bytes=wasted,
            near=[largest.original],
        ),
        evidence=[
            Evidence(
                fact=f"`{copy.name}`, a copy of `{copy.original}`",
                value=f"{copy.group.dtype} {copy.group.shape}, {words.size(copy.size_bytes)}{_line(case, copy.name)}",
                source="CensusTaken",
            )
            for copy in copies[:4]
        ],
        advice=_advice(largest),
    )


def _copies(census: CensusTaken) -> list[Copy]:
    found = []
    for group in census.groups:
        if group.copies_of is None or group.count > 3:
            continue
        original = group.copies_of.split(" (")[0]
        names = [holder.path for holder in group.holders if holder.path]
        if not names or (names[0] == original and group.count < 2):
            continue
        copied = [name for name in names if name != original] or names
        size = round(group.size_bytes * max(1, group.count - (original in names)) / group.count)
        found.append(Copy(copied[0], original, group, size))
    return sorted(found, key=lambda copy: -copy.size_bytes)


def _line(case: Case, name: str) -> str:
    place = assignment(case, name)
    return f", made at line {place.line}" if place else ""


def _being_made(case: Case, census: CensusTaken) -> Finding | None:
    """Killed in a statement that copies a large variable."""
    surge = surge_of(case)
    if surge is None or surge.looped or surge.grown_bytes < SHARE * own_bytes(case):
        return None
    nodes = nodes_at(case, surge.place)
    called = {_callee(node) for node in nodes if isinstance(node, ast.Call)}
    named = {ast.unparse(node) for node in nodes if isinstance(node, ast.Name | ast.Attribute)}
    sources = [
        (holder.path, group)
        for group in census.groups
        for holder in group.holders[:1]
        if holder.path in named and group.size_bytes >= max(SMALLEST_BYTES, SOURCE_SHARE * own_bytes(case))
    ]
    if not called & _COPYING or not sources:
        return None
    name, group = max(sources, key=lambda pair: pair[1].size_bytes)
    targets = [ast.unparse(one) for node in nodes if isinstance(node, ast.Assign) for one in node.targets]
    return Finding(
        message=f"{prefix(surge.place)}`{name}` ({words.size(group.size_bytes)}, {group.dtype}) is copied here while "
        f"it is kept; the copy took {words.size(surge.grown_bytes)} more before memory ran out",
        certainty="likely",
        location=surge.place,
        culprit=Culprit(
            kind=group.kind,
            name=targets[0] if targets else name,
            shape=group.shape,
            dtype=group.dtype,
            bytes=surge.grown_bytes,
            near=[name],
        ),
        evidence=[
            Evidence(
                fact=f"`{name}` in the last census",
                value=f"{group.dtype} {group.shape}, {words.size(group.size_bytes)}",
                source="CensusTaken",
            ),
            surge.evidence(),
        ],
        advice=_advice(Copy(name, name, group, group.size_bytes)),
    )


def _advice(copy: Copy) -> list[str]:
    advice = [
        f"Let go of `{copy.original}` (`del`) once the copy is made, or convert batch by batch in the pipeline.",
    ]
    if copy.group.dtype == "float64":
        advice.append("Read the data as float32 at once: float64 takes twice the memory.")
    return advice


def assignment(case: Case, path: str) -> Location | None:
    """The last statement that assigns a variable or attribute."""
    name = re.sub(r"\[[^\]]*\]", "", path).rpartition(".")[2]
    for file, source in case.recording.sources.items():
        tree = source.tree
        assigned = [
            node
            for node in (ast.walk(tree) if tree else ())
            if isinstance(node, ast.Assign | ast.AnnAssign) and name in _assigned(node)
        ]
        if assigned and tree is not None:
            last = max(assigned, key=lambda node: node.lineno)
            statement = source.statement(last.lineno)
            return Location(
                file=file,
                line=last.lineno,
                end_line=last.end_lineno,
                function=enclosing(tree, last.lineno),
                source=statement.source if statement else None,
            )
    return None


def _assigned(node: ast.Assign | ast.AnnAssign) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    found: set[str] = set()
    for target in targets:
        for part in ast.walk(target):
            if isinstance(part, ast.Name):
                found.add(part.id)
            elif isinstance(part, ast.Attribute):
                found.add(part.attr)
    return found


def _callee(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
