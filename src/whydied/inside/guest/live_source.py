"""Statements of the user's source: first line, last line, text; runs in the user's process, off the hot path.

What always holds: a file is read and parsed once, nothing is executed or printed, and an unreadable file gives the line
as it was.
`linecache` is left alone, because the program may use it and see what we put there.
"""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any

from whydied.inside.guest import guard

_LARGEST_SOURCE_BYTES = 4 << 20
_LARGEST_CACHE = 64
_NAME = "<whydied>"
_SILENCE = ("ignore", None, Warning, re.compile(_NAME), 0)

_LARGEST_PROVIDED = 2000

_sources: dict[str, Source | None] = {}
_provided: dict[str, str] = {}
_copy_of: list[Callable[[str], bytes | None]] = []


class Source:
    """A parsed file."""

    def __init__(self, data: bytes) -> None:
        self.tree = _parse(data)
        self.lines = data.decode("utf-8", "replace").splitlines()
        self.bytes_lines = data.splitlines()
        self._spans = sorted(_spans(self.tree))

    def span(self, line: int) -> tuple[int, int]:
        best: tuple[int, int] | None = None
        for first, last in self._spans:
            if first > line:
                break
            if line <= last and (best is None or last - first <= best[1] - best[0]):
                best = (first, last)
        return best or (line, line)

    def text(self, first: int, last: int) -> str:
        return "\n".join(self.lines[first - 1 : last])


def source(file: str) -> Source | None:
    """The parsed source of a file, or of the program given with `-c`, or None."""
    if file not in _sources:
        if len(_sources) >= _LARGEST_CACHE:
            _sources.clear()
        _sources[file] = _load(file)
    return _sources[file]


def provide(file: str, text: str) -> None:
    """The source of code that no file holds: a cell of a notebook. It is parsed when it is first asked for."""
    if len(_provided) >= _LARGEST_PROVIDED:
        del _provided[next(iter(_provided))]
    _provided[file] = text
    _sources.pop(file, None)


def read_copies(copy_of: Callable[[str], bytes | None]) -> None:
    """Ask here first for a file: on the disk it may have been edited since it was loaded."""
    _copy_of[:] = [copy_of]


def forget(file: str) -> None:
    """There is another version of a file."""
    _sources.pop(file, None)


def span(file: str, line: int) -> tuple[int, int]:
    """First and last line of the statement that a line belongs to; of a compound one, its header."""
    found = source(file)
    return found.span(line) if found is not None else (line, line)


def _load(file: str) -> Source | None:
    try:
        data = read(file)
        return Source(data) if data else None
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if guard.is_the_users(error):
            raise
        return None


def _parse(data: bytes) -> ast.Module:
    """The tree, without the warnings of the parser, which the program has got already when it was compiled.

    The filter holds for sources of our name only, so other threads lose no warning meanwhile. It goes into the list
    directly: `simplefilter` would make each module forget which of its warnings were shown.
    """
    filters: Any = warnings.filters
    filters.insert(0, _SILENCE)
    try:
        return ast.parse(data, _NAME)
    finally:
        filters.remove(_SILENCE)


def read(file: str) -> bytes:
    """The text of a file as it was loaded, of a cell, or of the program given with `-c`. Raises OSError."""
    if file in _provided:
        return _provided[file].encode()
    if file.startswith("<"):
        return _command() if file == "<string>" else b""
    for copy_of in _copy_of:
        if (copied := copy_of(file)) is not None:
            return copied
    with open(file, "rb") as stream:
        data = stream.read(_LARGEST_SOURCE_BYTES + 1)
    return data if len(data) <= _LARGEST_SOURCE_BYTES else b""


def _command() -> bytes:
    arguments = sys.orig_argv
    return arguments[arguments.index("-c") + 1].encode() if "-c" in arguments[:-1] else b""


def _spans(tree: ast.AST) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = node.end_lineno or node.lineno
            if isinstance(body, list) and body:
                last = max(node.lineno, min(last, body[0].lineno - 1))
            spans.append((node.lineno, last))
    return spans
