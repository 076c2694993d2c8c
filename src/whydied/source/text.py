"""The user's source as it is on disk after death: statements and the lines around them."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable
from typing import NamedTuple

_LARGEST_BYTES = 4 << 20


class Statement(NamedTuple):
    line: int
    end_line: int
    source: str


class Source:
    """A file's text; its statements are found when first asked for."""

    def __init__(self, text: str) -> None:
        # Python ends lines only here; str.splitlines also does at form feeds and other separators.
        lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.lines = lines if lines[-1] else lines[:-1]
        self._found: dict[int, Statement] = {}

    def statement(self, line: int) -> Statement | None:
        """The innermost statement that holds a line; of a compound statement its header only."""
        if not 1 <= line <= len(self.lines):
            return None
        if line not in self._found:
            first, last = self._innermost.get(line, (line, line))
            self._found[line] = Statement(first, last, "\n".join(self.lines[first - 1 : last]).strip())
        return self._found[line]

    @functools.cached_property
    def tree(self) -> ast.Module | None:
        """The parsed file, or None where it is not Python."""
        try:
            return ast.parse("\n".join(self.lines))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    @functools.cached_property
    def _innermost(self) -> dict[int, tuple[int, int]]:
        """The extent of the shortest statement at each line; of equal ones the outermost."""
        nodes = ast.walk(self.tree) if self.tree else ()
        extents = [_extent(node) for node in nodes if isinstance(node, ast.stmt | ast.excepthandler)]
        extents.sort(key=lambda extent: extent[1] - extent[0])
        found: dict[int, tuple[int, int]] = {}
        for extent in extents:
            for line in range(extent[0], extent[1] + 1):
                found.setdefault(line, extent)
        return found


def read_sources(files: Iterable[str]) -> dict[str, Source]:
    """The files that can be read as text."""
    sources = {}
    for file in files:
        try:
            with open(file, encoding="utf-8-sig", errors="replace") as stream:
                sources[file] = Source(stream.read(_LARGEST_BYTES))
        except (OSError, ValueError):
            continue
    return sources


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
