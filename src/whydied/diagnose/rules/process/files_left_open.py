"""The program opened files, sockets or pipes until the system refused it one more.

## What it detects
An exception with EMFILE or ENFILE ("Too many open files"), also where a library raised something else over it.

## Why it happens
Each open file, socket and pipe takes a descriptor, and a process may have so many (`ulimit -n`, often 1,024). Files
that are opened in a loop and kept (in a list, a dictionary, an attribute of an object) stay open until somebody closes
them; so do lazily loaded pictures, archives and arrays that are mapped into memory.

## Evidence
The descriptors that were open at the exception, by what they lead to, and the census of open file objects with who
holds them.

## How it is proved
The system's error number is direct evidence that descriptors were used up, the census that most of them belong to one
holder: certain. Where no variable of the program holds them, the line is the one that asked for one more: likely.

## Fix
Close each file once it is read (`with open(…) as file:`) and keep what was read, not the file. Raise the limit only if
so many have to be open at a time.

## Known problems
Descriptors that native code opened are seen by what they lead to, not by who holds them.

## References
open(2), getrlimit(2) (RLIMIT_NOFILE).
"""

from __future__ import annotations

import errno

from whydied.diagnose.case import Case, prefix
from whydied.diagnose.errors.usage import links, place_of, said
from whydied.diagnose.finding import Culprit, Evidence, Finding
from whydied.diagnose.memory.kept_objects import filling_place, written_name
from whydied.records import CensusTaken, DescriptorsCounted, Holder, OpenFiles

_REFUSED = (errno.EMFILE, errno.ENFILE)
_MOST = 0.5
"""A holder of fewer of the descriptors than this part is not the one that used them up."""
_KINDS = {"file": "files", "socket": "sockets", "pipe": "pipes", "device": "devices", "other": "descriptors"}

ROLE = "explanation"


def check(case: Case) -> Finding | None:
    refused = next((link for link in links(case) if link.errno in _REFUSED), None)
    if refused is None:
        return None
    counted = case.principal.last(DescriptorsCounted) if case.principal else None
    held = _held(case, counted)
    failing = place_of(case)
    place = (filling_place(case, held[0]) if held else None) or failing
    name = written_name(case, held[0]) if held else None
    return Finding(
        message=f"{prefix(place)}{_sentence(counted, name, held[1] if held else 0)}",
        certainty="certain" if held else "likely",
        location=place,
        culprit=Culprit(kind="container" if held else "files", name=name or _named(counted)),
        evidence=[*_evidence(counted), said(refused)],
        advice=_advice(counted, name),
    )


def _held(case: Case, counted: DescriptorsCounted | None) -> tuple[Holder, int] | None:
    """Who holds most of what is open, and how many."""
    census = case.principal.last(CensusTaken) if case.principal else None
    total = counted.count if counted else 0
    by_holder: dict[str, tuple[Holder, int]] = {}
    for group in census.groups if census else []:
        for holder in group.holders if group.kind == "file" else []:
            if holder.root != "library" and holder.path:
                before = by_holder[holder.path][1] if holder.path in by_holder else 0
                by_holder[holder.path] = (holder, before + round(group.count * holder.share))
    best = max(by_holder.values(), key=lambda one: one[1], default=None)
    return best if best is not None and best[1] >= _MOST * total > 0 else None


def _sentence(counted: DescriptorsCounted | None, name: str | None, count: int) -> str:
    if counted is None or not counted.groups:
        return "too many open files: the system gives this process no more descriptors"
    most = counted.groups[0]
    kinds = _KINDS[most.kind]
    limit = f"; the limit is {counted.limit:,} (`ulimit -n`)" if counted.limit else ""
    if name is not None:
        return f"`{name}` keeps {count:,} {kinds} open{_where(most)}{limit}"
    return f"{most.count:,} {kinds} are open{_where(most)}, and were never closed{limit}"


def _where(group: OpenFiles) -> str:
    return f" ({group.what})" if group.kind == "file" else ""


def _named(counted: DescriptorsCounted | None) -> str | None:
    return counted.groups[0].what if counted and counted.groups else None


def _evidence(counted: DescriptorsCounted | None) -> list[Evidence]:
    if counted is None:
        return []
    words = ", ".join(f"{group.count:,} {group.what}" for group in counted.groups[:3])
    return [Evidence(fact=f"open at the exception: {counted.count:,}", value=words, source="DescriptorsCounted")]


def _advice(counted: DescriptorsCounted | None, name: str | None) -> list[str]:
    kind = counted.groups[0].kind if counted and counted.groups else "file"
    if kind == "file":
        kept = f"keep what was read in `{name}`, not the file" if name else "keep what was read, not the file"
        return [f"Close each file once it is read (`with open(…) as file:`), and {kept}."]
    each = f"each item of `{name}`" if name else "each"
    return [f"Close the {_KINDS[kind]} of {each} when it is done with (`with …:`, `close()`), or keep fewer at a time."]
