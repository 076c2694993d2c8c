"""The program of a run as it ran, for whoever reads about it. Runs in the server of `whydied mcp`.

Invariant: only texts that are part of the recording are given, never a file of the disk: an assistant that is asked
about a run must not read the rest of the machine through us.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from typing import Any

from whydied.errors import UsageError
from whydied.places import RunDirectory
from whydied.read.kept_sources import copied_sources
from whydied.source.text import Source

AROUND = 40
MOST_LINES = 400


def recorded_source(directory: RunDirectory, report: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Some lines of a recorded file: of the one named, else of that which the report points at."""
    texts = copied_sources(directory.sources)
    if not texts:
        raise UsageError("this recording holds no source", "it was made by an older whydied, or exported without it")
    place = _place(report)
    file = _file(texts, wanted["file"] or (place["file"] if place else ""))
    listed = sorted(texts)
    if file is None:
        return {"run": directory.id, "files": listed}
    lines = texts[file].lines
    marked = place["line"] if place and place["file"] == file else None
    first, last = _range(len(lines), marked, wanted["first_line"], wanted["last_line"])
    return {
        "run": directory.id,
        "file": file,
        "first_line": first,
        "last_line": last,
        "line_count": len(lines),
        "cause_line": marked,
        "text": "\n".join(lines[first - 1 : last]),
        "files": listed,
    }


def _place(report: Mapping[str, Any]) -> Mapping[str, Any] | None:
    for name in ("cause", "death"):
        finding = report.get(name)
        if finding and finding.get("location"):
            location: Mapping[str, Any] = finding["location"]
            return location
    return None


def _file(texts: Mapping[str, Source], wanted: str) -> str | None:
    """By its path, or the end of it; None where nothing was named."""
    if not wanted or wanted in texts:
        return wanted or None
    ending = f"{os.sep}{wanted.lstrip(os.sep)}"
    found = [file for file in texts if file.endswith(ending)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{wanted!r} is the end of {len(found)} recorded files: {', '.join(sorted(found)[:5])}")
    near = difflib.get_close_matches(os.path.basename(wanted), [os.path.basename(file) for file in texts], 3)
    hint = f"did you mean {near[0]}?" if near else f"recorded files: {', '.join(sorted(texts)[:10])}"
    raise UsageError(f"{wanted[:200]!r} is not a file of this recording", hint)


def _range(count: int, marked: int | None, first: int | None, last: int | None) -> tuple[int, int]:
    """The lines that were asked for, else those around the marked one, else from the beginning."""
    if first is None and last is None and marked is not None and count > MOST_LINES:
        first, last = marked - AROUND, marked + AROUND
    begin = max(1, first if first is not None else 1)
    end = min(count, last if last is not None else count, begin + MOST_LINES - 1)
    if begin > count or end < begin:
        raise UsageError(f"the file has {count:,} lines", "ask for lines within it")
    return begin, end
