"""Comments that silence a finding: `# whydied: ignore` and `# whydied: ignore[LNT001, LNT002]`. Pure.

A comment counts for the statement that it stands in: on any of its lines; of a compound statement on those of its
header.
"""

from __future__ import annotations

import re

from whydied.source.text import Source

_COMMENT = re.compile(r"#\s*whydied:\s*ignore(?:\[([^\]]*)\])?", re.IGNORECASE)


def suppressions(source: Source) -> dict[int, frozenset[str] | None]:
    """By line: the codes that are silenced there; None silences all."""
    found: dict[int, frozenset[str] | None] = {}
    for number, line in enumerate(source.lines, 1):
        match = _COMMENT.search(line) if "whydied" in line.lower() else None
        if match is not None:
            codes = match[1]
            listed = (
                None if codes is None else frozenset(one.strip().upper() for one in codes.split(",") if one.strip())
            )
            found[number] = listed
    return found


def is_suppressed(found: dict[int, frozenset[str] | None], source: Source, line: int, code: str) -> bool:
    if not found:
        return False
    first, last = source.span(line)
    return any(
        number in found and (found[number] is None or code in (found[number] or ()))
        for number in range(first, max(last, line) + 1)
    )
