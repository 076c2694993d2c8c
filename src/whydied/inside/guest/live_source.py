"""The sources of the running program, each read and parsed once; runs in the user's process, off the hot path.

Invariant: nothing is executed or printed, and what is unreadable or not Python gives the line as it was.
`linecache` is left alone, because the program may use it and see what we put there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from whydied.inside.guest import guard
from whydied.source.text import LARGEST_BYTES, Source, decoded, parsed

_LARGEST_CACHE = 64
_LARGEST_PROVIDED = 2000
_LONGEST_STATEMENT = 6

_sources: dict[str, Source | None] = {}
_provided: dict[str, str] = {}
_copy_of: list[Callable[[str], bytes | None]] = []


def source(file: str) -> Source | None:
    """The parsed source of a file, or of the program given with `-c`, or None."""
    if file not in _sources:
        if len(_sources) >= _LARGEST_CACHE:
            _sources.clear()
        _sources[file] = _load(file)
    return _sources[file]


def provide(file: str, text: str) -> None:
    """The source of code that no file holds: a cell of a notebook. It is parsed when it is first asked for."""
    _provided.pop(file, None)
    if len(_provided) >= _LARGEST_PROVIDED:
        del _provided[next(iter(_provided))]
    _provided[file] = text
    _sources.pop(file, None)


def provided() -> list[str]:
    """The names of that code, in the order in which it ran last."""
    return list(_provided)


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


def statement(file: str, line: int) -> tuple[int, int, str]:
    """First and last line of that statement, and the text of its first lines; "" where there is none."""
    found = source(file)
    first, last = span(file, line)
    return first, last, found.text(first, min(last, first + _LONGEST_STATEMENT - 1)) if found is not None else ""


def _load(file: str) -> Source | None:
    try:
        text = decoded(read(file))
        return Source(text, parsed(text)) if text else None
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if guard.is_the_users(error):
            raise
        return None


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
        data = stream.read(LARGEST_BYTES + 1)
    return data if len(data) <= LARGEST_BYTES else b""


def _command() -> bytes:
    arguments = sys.orig_argv
    return arguments[arguments.index("-c") + 1].encode() if "-c" in arguments[:-1] else b""
