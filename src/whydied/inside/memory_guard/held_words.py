"""What holds the memory, in words, from a census; runs in the user's process."""

from __future__ import annotations

from whydied import words
from whydied.records import CensusTaken, Holder, ObjectGroup

LISTED = 4


def largest(census: CensusTaken | None) -> list[ObjectGroup]:
    groups = [group for group in census.groups if group.size_bytes >= 1 << 20] if census is not None else []
    return sorted(groups, key=lambda group: -group.size_bytes)[:LISTED]


def described(group: ObjectGroup) -> str:
    """`512 MiB in 4 arrays (4000, 4000) float64: x, Out[3]`"""
    names = list(dict.fromkeys(_held(holder) for holder in group.holders if holder.path))
    held = ", ".join(names[:LISTED]) + (f" and {len(names) - LISTED} more" if len(names) > LISTED else "")
    shape = f" ({', '.join(map(str, group.shape))})" if group.shape is not None else ""
    text = (
        f"{words.size(group.size_bytes)} in {words.count(group.count, group.kind)}{shape} {group.dtype or ''}".rstrip()
    )
    return f"{text}: {held}" if held else text


def _held(holder: Holder) -> str:
    return f"{holder.path} (and {', '.join(holder.also)})" if holder.also else holder.path
