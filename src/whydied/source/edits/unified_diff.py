"""A unified diff that `patch -p1` and `git apply` take, of two texts. Pure.

Lines end at a line feed alone, as those two count them, so that a carriage return stays part of its line. A line in
which a secret was replaced is never context: the file has another one there.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from typing import NamedTuple

from whydied import redact

CONTEXT = 3
NO_NEWLINE = "\\ No newline at end of file\n"
_HIDDEN = ("****", redact.HIDDEN)
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


class _Row(NamedTuple):
    """A line of a hunk, and where it stands in both texts, from 0."""

    mark: str
    line: str
    before: int
    after: int


def difference(before: str, after: str, name: str) -> str:
    """Empty where the texts are equal."""
    old, new = lines_of(before), lines_of(after)
    hunks = [
        hunk
        for group in difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(CONTEXT)
        for hunk in _hunks(list(_rows(group, old, new)))
    ]
    return f"--- {_header(f'a/{name}')}\n+++ {_header(f'b/{name}')}\n" + "".join(hunks) if hunks else ""


def shown_name(file: str, root: str) -> str:
    """A file's name relative to a directory; to the top of the file system where it lies elsewhere."""
    return os.path.relpath(file, root) if is_below(file, root) else file.lstrip("/")


def is_below(file: str, root: str) -> bool:
    return bool(root) and file.startswith(root.rstrip("/") + "/")


def lines_of(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _rows(group: list[tuple[str, int, int, int, int]], old: list[str], new: list[str]) -> Iterator[_Row]:
    for kind, first, last, start, end in group:
        if kind == "equal":
            for at in range(first, last):
                yield _Row(" ", old[at], at, start + at - first)
            continue
        for at in range(first, last):
            yield _Row("-", old[at], at, start)
        for at in range(start, end):
            yield _Row("+", new[at], last, at)


def _hunks(rows: list[_Row]) -> Iterator[str]:
    """A group of rows as one hunk, or as several around the lines that hide something."""
    parts: list[list[_Row]] = [[]]
    for row in rows:
        if row.mark == " " and any(hidden in row.line for hidden in _HIDDEN):
            parts.append([])
        else:
            parts[-1].append(row)
    for part in parts:
        if any(row.mark != " " for row in part):
            ranges = _range("-", part[0].before, _count(part, "+")), _range("+", part[0].after, _count(part, "-"))
            yield f"@@ {' '.join(ranges)} @@\n" + "".join(_written(row) for row in part)


def _count(rows: list[_Row], without: str) -> int:
    return sum(row.mark != without for row in rows)


def _range(sign: str, first: int, count: int) -> str:
    """An empty range is named by the line before it."""
    start = first + 1 if count else first
    return f"{sign}{start}" if count == 1 else f"{sign}{start},{count}"


def _written(row: _Row) -> str:
    return f"{row.mark}{row.line}" if row.line.endswith("\n") else f"{row.mark}{row.line}\n{NO_NEWLINE}"


def _header(name: str) -> str:
    """A name with a space in it ends in a tab; one that a line cannot hold is quoted as C does."""
    quoted = any(sign in _ESCAPES or not sign.isprintable() for sign in name)
    if not quoted:
        return f"{name}\t" if " " in name else name
    return '"' + "".join(_escaped(sign) for sign in name) + '"'


def _escaped(sign: str) -> str:
    if sign in _ESCAPES:
        return _ESCAPES[sign]
    return sign if sign.isprintable() else "".join(f"\\{one:03o}" for one in os.fsencode(sign))
