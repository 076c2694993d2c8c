"""What the advice of the memory rules changes in the source: bounds of containers, sizes of batches and buffers. Pure.

A size is chosen from what was measured: a quarter of what filled the memory leaves room for the rest of the program.
"""

from __future__ import annotations

from typing import Any

from whydied.diagnose.case import Case
from whydied.diagnose.memory.memory_over_time import baseline_bytes
from whydied.records import Holder
from whydied.source.edits.edit import Change, Edit, Harm
from whydied.source.edits.runs.container_edits import bounded, bounded_cache
from whydied.source.edits.runs.literal_numbers import rounded_down

PART = 4
"""What filled the memory is cut to one part of so many."""


def bounds_of(case: Case, holder: Holder, name: str, number: int) -> list[Change]:
    """The holder with room for a part of what it held."""
    source = case.sources.get(holder.file)
    if source is None:
        return []
    most = rounded_down(number / PART)
    edits = bounded(source, holder.file, name, most) or bounded_cache(source, holder.file, name, most)
    title = f"Keep at most {most:,} in `{name}`"
    return [Change(title=title, kind="bound", edits=edits)] if edits else []


def change_of(
    title: str, kind: str, edit: Edit | list[Edit] | None, *, value: Any = None, harm: Harm = "changed result"
) -> list[Change]:
    """A change of one edit or of several, where there is one."""
    edits = edit if isinstance(edit, list) else [edit] if edit is not None else []
    return [Change(title=title, kind=kind, edits=edits, value=value, harm=harm)] if edits else []


def room_bytes(case: Case) -> int | None:
    """What the limit leaves beside the libraries."""
    limit = case.recording.limit
    return max(0, limit.limit_bytes - baseline_bytes(case)) if limit is not None else None
