"""A notebook's file as text: where the source of each cell stands in its JSON, and the file with other sources. Pure.

Invariant: all bytes outside the changed lines of a cell are those of the file. A source that is a list of lines stays
one, with the separators and the indent that it has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from whydied.errors import NotEditable
from whydied.source.edits.unified_diff import lines_of
from whydied.source.text import BOM

_DECODER = json.JSONDecoder(strict=False)
_BLANK = re.compile(r"[ \t\r\n]*")


class Cell(NamedTuple):
    """`start` and `end` are where the JSON of its source stands in the text."""

    is_code: bool
    text: str
    start: int
    end: int


class _Part(NamedTuple):
    """A member of an object or an item of a list, with its place."""

    key: str
    value: Any
    start: int
    end: int


class NotebookText:
    """Raises NotEditable for what is not a notebook of version 4."""

    def __init__(self, file: str, data: bytes) -> None:
        self.file = file
        try:
            self._text = data.decode("utf-8")
            self.cells = list(_cells(self._text))
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            raise NotEditable(f"{file} cannot be read as a notebook of version 4") from error

    def replaced(self, texts: Mapping[int, str]) -> bytes:
        """The file with other sources in some of its cells."""
        text = self._text
        for at in sorted(texts, reverse=True):
            cell = self.cells[at]
            text = text[: cell.start] + self._written(text[cell.start : cell.end], texts[at]) + text[cell.end :]
        return text.encode("utf-8")

    def _written(self, old: str, text: str) -> str:
        if not old.startswith("["):
            return self._string(text)
        items = list(_parts(old, 0))
        lines = lines_of(text)
        if not items or not lines:
            return json.dumps(lines)
        before, after = old[1 : items[0].start], old[items[-1].end : -1]
        between = old[items[0].end : items[1].start] if len(items) > 1 else f",{before}"
        # A line that stays is written as it was, whichever of its characters were escaped.
        known = {item.value: old[item.start : item.end] for item in items}
        return f"[{before}{between.join(known.get(line) or self._string(line) for line in lines)}{after}]"

    def _string(self, text: str) -> str:
        return json.dumps(text, ensure_ascii=self._text.isascii())


def _cells(text: str) -> Iterator[Cell]:
    top = {part.key: part for part in _parts(text, _blank(text, int(text.startswith(BOM))))}
    if top["nbformat"].value != 4:
        raise ValueError("another version")
    for cell in _parts(text, top["cells"].start):
        own = {part.key: part for part in _parts(text, cell.start)}
        source = own["source"]
        joined = source.value if isinstance(source.value, str) else "".join(source.value)
        yield Cell(own["cell_type"].value == "code", joined, source.start, source.end)


def _parts(text: str, start: int) -> Iterator[_Part]:
    """What an object or a list at a place consists of."""
    opened = text[start]
    if opened not in "{[":
        raise ValueError("neither an object nor a list")
    at = _blank(text, start + 1)
    while text[at] not in "}]":
        key = ""
        if opened == "{":
            key, at = _DECODER.raw_decode(text, at)
            at = _blank(text, _blank(text, at) + 1)
        value, end = _DECODER.raw_decode(text, at)
        yield _Part(key, value, at, end)
        at = _blank(text, end)
        if text[at] == ",":
            at = _blank(text, at + 1)


def _blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
