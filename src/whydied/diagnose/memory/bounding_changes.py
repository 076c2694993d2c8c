"""What the advice of the memory rules changes in the source: bounds of containers, sizes of batches and buffers. Pure.

A size is chosen from what was measured: a quarter of what filled the memory leaves room for the rest of the program.
"""

from __future__ import annotations

from typing import Any

from whydied.diagnose.case import Case
from whydied.diagnose.memory.memory_over_time import baseline_bytes
from whydied.records import Holder
from whydied.source.edits.edit import Change, Edit, Harm
from whydied.source.edits.memory.epoch_edits import emptied
from whydied.source.edits.memory.holding_edits import (
    LISTS,
    fills_cache,
    narrowed_items,
    not_kept,
    reduced,
    trimmed,
    without_parts,
)
from whydied.source.edits.runs.container_edits import bounded, bounded_cache, waits
from whydied.source.edits.runs.literal_numbers import rounded_down
from whydied.source.holder_fills import HolderFill
from whydied.source.holder_uses import uses_of

PART = 4
"""What filled the memory is cut to one part of so many."""


def keeping_changes(
    case: Case,
    holder: Holder,
    name: str,
    number: int,
    fill: HolderFill | None,
    *,
    alike: bool = False,
    collect: bool = False,
    dtype: str | None = None,
) -> list[Change]:
    """Less in a holder, the gentlest way first: nothing where nobody reads it, of each item what is read, the items in
    half of the bytes, and room for a part of what it held. `alike` says that all items have one shape, `collect` that
    what is dropped waits for the garbage collector, `dtype` is that of arrays."""
    uses = uses_of(case.sources, holder.path) if fill is not None else None
    found: list[Change] = []
    if fill is not None and uses is not None:
        read = "of which only the length is read" if uses.is_counted else "which is not read"
        title = f"Keep nothing in `{name}`, {read}"
        found += change_of(title, "release", not_kept(case.sources, fill, uses, collect), "exact")
        if uses.last and not uses.is_counted:
            last = f"{uses.last} last items" if uses.last > 1 else "last item"
            title = f"Keep only the {last} of `{name}`: no other is read"
            found += change_of(title, "bound", _cut(case, holder, name, uses.last, fill, collect), "exact")
        if alike:
            title = f"Keep `{uses.statistic}` of each, which is all that is read of `{name}`"
            found += change_of(title, "release", reduced(case.sources, fill, uses), "same result")
    if fill is not None and dtype == "float64":
        edits = narrowed_items(case.sources, fill, "float32")
        found += change_of(
            f"Keep float32 in `{name}`, which takes half", "dtype", edits, "same result", value="float32"
        )
    if fill is not None:
        keys, edits = without_parts(case.sources, fill, collect)
        named = ", ".join(f"`{key}`" for key in keys)
        found += change_of(f"Do not keep {named} in `{name}`: nothing reads it", "release", edits, "exact")
        title = f"Empty `{name}` once each epoch has read it"
        found += change_of(title, "bound", emptied(case.sources, fill, name))
    return found + _bounds(case, holder, name, rounded_down(number / PART), fill, collect)


def _bounds(case: Case, holder: Holder, name: str, most: int, fill: HolderFill | None, collect: bool) -> list[Change]:
    """The holder with room for so many, where it is made or else where it is filled."""
    source = case.sources.get(holder.file)
    title = f"Keep at most {most:,} in `{name}`"
    container = holder.container.rpartition(".")[2]
    if source is not None and not collect:
        # What does not fit is computed again, or waits.
        if cached := bounded_cache(source, holder.file, name, most):
            return change_of(title, "bound", cached, "exact")
        if edits := bounded(source, holder.file, name, most):
            return change_of(title, "bound", edits, "exact" if waits(edits) else "changed result")
    if fill is None:
        return []
    harm: Harm = "exact" if container not in LISTS and fills_cache(case.sources, fill) else "changed result"
    return change_of(title, "bound", _cut(case, holder, name, most, fill, collect), harm)


def _cut(case: Case, holder: Holder, name: str, most: int, fill: HolderFill, collect: bool) -> list[Edit]:
    return trimmed(case.sources, fill, name, holder.container.rpartition(".")[2], most, collect)


def change_of(
    title: str, kind: str, edit: Edit | list[Edit] | None, harm: Harm = "changed result", *, value: Any = None
) -> list[Change]:
    """A change of one edit or of several, where there is one."""
    edits = edit if isinstance(edit, list) else [edit] if edit is not None else []
    return [Change(title=title, kind=kind, edits=edits, value=value, harm=harm)] if edits else []


def room_bytes(case: Case) -> int | None:
    """What the limit leaves beside the libraries."""
    limit = case.recording.limit
    return max(0, limit.limit_bytes - baseline_bytes(case)) if limit is not None else None
