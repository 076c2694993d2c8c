"""The user's source text: its lines, its statements, its tree. Pure but for `read_sources`; runs in the user's process,
where `inside.guest.live_source` gets the text, and after death.

Invariant: a text is parsed once, when that is first needed, and the parser warns nobody.
"""

from __future__ import annotations

import ast
import functools
import re
import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

LARGEST_BYTES = 4 << 20
BOM = "\ufeff"
_NAME = "<whydied>"
_SILENCE = ("ignore", None, Warning, re.compile(_NAME), 0)
_CODING = re.compile(rb"(?:[ \t\f]*(?:#.*)?\r?\n)??[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


class Statement(NamedTuple):
    line: int
    end_line: int
    source: str


class Source:
    """A file's text; `tree` where it is parsed already."""

    def __init__(self, text: str, tree: ast.Module | None = None) -> None:
        self.lines = _lines(text)
        self._unusual = text if "\r" in text or text[:1] == BOM or text[-1:] != "\n" else None
        self._found: dict[int, Statement] = {}
        if tree is not None:
            self.tree = tree

    @property
    def exact(self) -> str:
        """All characters as they are: the ends of lines, whether the last one has one, a byte order mark."""
        return self._unusual if self._unusual is not None else "".join(f"{line}\n" for line in self.lines)

    @property
    def code_lines(self) -> list[str]:
        """What is parsed, line by line; of a cell not everything that stands there is Python."""
        return _lines(self._code())

    def reread(self, text: str) -> Source:
        """The same source with another text: that which a copy has stars in the place of."""
        return Source(text)

    def statement(self, line: int) -> Statement | None:
        """The innermost statement that holds a line; of a compound statement its header only."""
        if not 1 <= line <= len(self.lines):
            return None
        if line not in self._found:
            first, last = self.span(line)
            self._found[line] = Statement(first, last, self.text(first, last).strip())
        return self._found[line]

    def span(self, line: int) -> tuple[int, int]:
        """First and last line of that statement; the line alone where there is none."""
        return self._innermost.get(line, (line, line))

    def text(self, first: int, last: int) -> str:
        return "\n".join(self.lines[first - 1 : last])

    @functools.cached_property
    def tree(self) -> ast.Module:
        """The parsed text; empty where it is not Python."""
        return tree_or_empty(self._code())

    def _code(self) -> str:
        """What is parsed, line by line like the text."""
        return self.text(1, len(self.lines))

    @functools.cached_property
    def _innermost(self) -> dict[int, tuple[int, int]]:
        """The extent of the shortest statement at each line; of equal ones the outermost."""
        extents = [_extent(node) for node in ast.walk(self.tree) if isinstance(node, ast.stmt | ast.excepthandler)]
        extents.sort(key=lambda extent: extent[1] - extent[0])
        found: dict[int, tuple[int, int]] = {}
        for extent in extents:
            for line in range(extent[0], extent[1] + 1):
                found.setdefault(line, extent)
        return found


def parsed(text: str) -> ast.Module:
    """The tree of a text, without the warnings of the parser: the program has had them when it was compiled.

    The filter holds for sources of our name only, so other threads lose no warning meanwhile. It goes into the list
    directly: `simplefilter` would make each module forget which of its warnings were shown.
    """
    filters: Any = warnings.filters
    filters.insert(0, _SILENCE)
    try:
        return ast.parse("\n".join(_lines(text)), _NAME)
    finally:
        filters.remove(_SILENCE)


def tree_or_empty(text: str) -> ast.Module:
    try:
        return parsed(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def decoded(data: bytes) -> str:
    """The text of a file in the encoding that it states itself, as Python reads it."""
    try:
        return data.decode(encoding_of(data))
    except (LookupError, UnicodeDecodeError):
        return data.decode("utf-8", "replace")


def encoding_of(data: bytes) -> str:
    """The encoding that a file states itself, as Python looks for it. A byte order mark stays in the text."""
    found = _CODING.match(data)
    return found[1].decode().replace("utf-8-sig", "utf-8") if found else "utf-8"


def read_sources(files: Iterable[str]) -> dict[str, Source]:
    """The files that can be read as text."""
    sources = {}
    for file in files:
        try:
            with open(file, "rb") as stream:
                sources[file] = Source(decoded(stream.read(LARGEST_BYTES)))
        except (OSError, ValueError):
            continue
    return sources


def _lines(text: str) -> list[str]:
    # Python ends lines only here; str.splitlines also does at form feeds and other separators.
    lines = text.removeprefix(BOM).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def _extent(node: ast.stmt | ast.excepthandler) -> tuple[int, int]:
    first, last = node.lineno, node.end_lineno or node.lineno
    body = getattr(node, "body", None) or getattr(node, "cases", None)
    if not body:
        return first, last
    inner = body[0]
    start = inner.pattern.lineno if isinstance(inner, ast.match_case) else inner.lineno
    if decorators := getattr(inner, "decorator_list", []):
        start = decorators[0].lineno
    # A header that shares its line with its body ("if x: return") keeps that line.
    return first, max(first, start - 1)
