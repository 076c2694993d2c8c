"""What was alive when memory was highest: by holder, by line, and by layer of the step. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from whydied import words
from whydied.diagnose.case import Case
from whydied.records import CensusTaken, ObjectGroup
from whydied.report.summary import MemoryFacts

MOST_HOLDERS = 24
MOST_GROUPS = 12
SMALLEST_SHARE = 0.004
"""Of the whole: a smaller rectangle is a speck."""
SMALLEST_STEP = 1 << 20
"""A step that needs less has nothing to show."""
NO_HOLDER = "(no holder known)"
_IN_ALLOCATOR = ("tensor", "variable")


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A rectangle; `bytes` of one with parts is their sum."""

    name: str
    bytes: int
    words: str = ""
    rest: bool = False
    parts: list[Part] = []


class Alive(msgspec.Struct, frozen=True, kw_only=True):
    """`by` is what the parts are."""

    by: Literal["holder", "line", "layer"]
    title: str
    parts: list[Part]
    told: str = ""


def alive(case: Case, memory: MemoryFacts) -> list[Alive]:
    found = [_by_holder(case), _by_layer(memory), _by_line(memory)]
    return [one for one in found if one is not None]


def _by_holder(case: Case) -> Alive | None:
    censuses = case.records.all(CensusTaken)
    census = max(censuses, key=lambda one: one.rss_bytes, default=None)
    if census is None or not census.groups:
        return None
    held: dict[str, list[tuple[int, ObjectGroup, str]]] = {}
    for group in census.groups:
        for name, share, place in _shares(group):
            held.setdefault(name, []).append((round(group.size_bytes * share), group, place))
    parts = [_holder(name, groups) for name, groups in held.items()]
    parts = _largest([*parts, *_beside(census)], census.rss_bytes)
    largest = next((part for part in parts if not part.rest), None)
    told = f"Of {words.size(census.rss_bytes)}"
    told += f", {words.size(largest.bytes)} were held by {largest.name}." if largest else ", no holder is known."
    return Alive(by="holder", title=f"at {words.size(census.rss_bytes)}, by who holds it", parts=parts, told=told)


def _shares(group: ObjectGroup) -> Iterable[tuple[str, float, str]]:
    """Who holds a group and which part of it; what several names reach is told once, by the first of them."""
    left = 1.0
    for holder in sorted(group.holders, key=lambda one: -one.share):
        share = min(left, holder.share)
        if share <= 0:
            break
        place = f"{holder.file.rsplit('/', 1)[-1]}:{holder.line}" if holder.file and holder.line else ""
        yield holder.path, share, place
        left -= share
    if left > 0.01:
        yield NO_HOLDER, left, ""


def _holder(name: str, groups: list[tuple[int, ObjectGroup, str]]) -> Part:
    place = next((place for _, _, place in groups if place), "")
    parts = [Part(name=_described(group), bytes=size, words=place) for size, group, _ in groups]
    parts.sort(key=lambda part: -part.bytes)
    whole = sum(size for size, _, _ in groups)
    told = ", ".join(part.name for part in parts[:3])
    about = f"{told}{f'; {place}' if place else ''}"
    return Part(name=name, bytes=whole, words=about, parts=parts[:MOST_GROUPS], rest=name == NO_HOLDER)


def _described(group: ObjectGroup) -> str:
    shape = f" {tuple(group.shape)}" if group.shape is not None else ""
    about = "about " if group.estimated else ""
    kind = f"{group.dtype} " if group.dtype else ""
    return f"{about}{group.count:,} {kind}{group.type}{shape}"


def _beside(census: CensusTaken) -> list[Part]:
    """What the process holds beyond the objects that were found."""
    in_allocator = sum(group.size_bytes for group in census.groups if group.kind in _IN_ALLOCATOR)
    known = sum(group.size_bytes for group in census.groups)
    ops = max(0, (census.allocator_bytes or 0) - in_allocator)
    small = max(0, census.python_bytes - known)
    rest = max(0, census.rss_bytes - known - ops - small)
    return [
        Part(
            name="tensors inside of steps",
            bytes=ops,
            words="in TensorFlow's allocator, with no Python object",
            rest=True,
        ),
        Part(name="small objects", bytes=small, words="Python objects too small to be listed", rest=True),
        Part(name="libraries and the rest", bytes=rest, words="code, stacks, free memory of allocators", rest=True),
    ]


def _by_layer(memory: MemoryFacts) -> Alive | None:
    layers: dict[str, list[Part]] = {}
    for one in memory.by_op:
        place = f", {one.file.rsplit('/', 1)[-1]}:{one.line}" if one.file else ""
        times = f" x {one.copies:,}" if one.copies > 1 else ""
        part = Part(
            name=f"{one.type} {tuple(one.shape)}{times}", bytes=one.bytes, words=f"{one.dtype}, {one.phase}{place}"
        )
        layers.setdefault(one.layer or "no layer", []).append(part)
    parts = [
        Part(name=name, bytes=sum(part.bytes for part in inner), words=inner[0].name, parts=inner)
        for name, inner in layers.items()
    ]
    if sum(part.bytes for part in parts) < SMALLEST_STEP:
        return None
    parts.sort(key=lambda part: -part.bytes)
    told = f"At the peak of {memory.step}, {parts[0].name} has {words.size(parts[0].bytes)}."
    return Alive(by="layer", title=f"tensors at the peak of {memory.step}, by layer", parts=parts, told=told)


def _by_line(memory: MemoryFacts) -> Alive | None:
    parts = [
        Part(name=f"{one.file.rsplit('/', 1)[-1]}:{one.line}", bytes=one.bytes, words=(one.source or "").split("\n")[0])
        for one in memory.by_line
    ]
    if not parts:
        return None
    told = f"While {parts[0].name} ran, the process grew by {words.size(parts[0].bytes)}."
    return Alive(by="line", title="growth of the process, by the line that ran", parts=parts, told=told)


def _largest(parts: list[Part], whole: int) -> list[Part]:
    """The parts that can be seen, the others as one."""
    ranked = sorted(parts, key=lambda part: -part.bytes)
    shown = [part for part in ranked[:MOST_HOLDERS] if part.bytes >= SMALLEST_SHARE * whole]
    left = [part for part in ranked if part not in shown and part.bytes]
    if left:
        size = sum(part.bytes for part in left)
        shown.append(Part(name=words.count(len(left), "other", "others"), bytes=size, rest=True))
    return shown
