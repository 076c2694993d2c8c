"""Our own sentences and other programs' JSON on a stream of any width and encoding. Runs in the parent.

Invariant: on a terminal no line of a sentence is wider than it, and no word is broken that fits a line; in a pipe a
sentence is one line. What the encoding of the stream lacks is spelled in what it has, so nothing that is printed fails.
Loads nothing heavy: a refusal is as quick as `--help`.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import IO, TextIO

from whydied.report import plain

NARROWEST = 40
_HANDLER = "whydied-spelled"
_CONTINUED = 2


def spell_on(*streams: TextIO | None) -> None:
    """From now on a character that a stream's encoding lacks is spelled there."""
    codecs.register_error(_HANDLER, plain.replacement)
    for stream in streams:
        # A stream that somebody put in the place of ours may have no such thing.
        with contextlib.suppress(AttributeError, ValueError, OSError):
            stream.reconfigure(errors=_HANDLER)  # type: ignore[union-attr]


def columns_of(stream: IO[str] | None) -> int | None:
    """The width of a terminal, or that which `COLUMNS` asks for; None for a pipe or a file."""
    with contextlib.suppress(ValueError):
        chosen = int(os.environ.get("COLUMNS", ""))
        if chosen > 0:
            return max(NARROWEST, chosen)
    with contextlib.suppress(OSError, ValueError, AttributeError):
        columns = os.get_terminal_size(stream.fileno()).columns  # type: ignore[union-attr]
        if columns > 0:
            return max(NARROWEST, columns)
    return None


def say(text: str, *, err: bool = False, hanging: int = 0) -> None:
    """A line of ours; where it does not fit the terminal, its further lines are set in by `hanging`."""
    stream = sys.stderr if err else sys.stdout
    width = columns_of(stream)
    # First, because what is spelled is longer.
    lines = plain.spelled(text, getattr(stream, "encoding", None) or "ascii").split("\n")
    if width is not None:
        lines = [part for line in lines for part in wrapped(line, width, hanging)]
    put("".join(f"{line}\n" for line in lines), err=err)


def put(text: str, *, err: bool = False) -> None:
    """Text as it is, but for its spelling. A stream that is closed takes nothing."""
    stream = sys.stderr if err else sys.stdout
    if stream is None:
        return
    stream.write(plain.spelled(text, getattr(stream, "encoding", None) or "ascii"))
    stream.flush()


def put_json(data: str | bytes) -> None:
    """JSON that any encoding can hold: what it lacks is escaped, which means the same to whoever reads it."""
    text = (data.decode("utf-8") if isinstance(data, bytes) else data).removesuffix("\n")
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        text = "".join(one if one.isascii() else _escaped(one) for one in text)
    put(f"{text}\n")


def _escaped(character: str) -> str:
    data = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{data[at]:02x}{data[at + 1]:02x}" for at in range(0, len(data), 2))


def wrapped(line: str, width: int, hanging: int = 0) -> list[str]:
    """A line as lines of at most a width, broken between words; a longer word is broken after `/`, `-`, `_` or `=`,
    else where it must be. The spaces that it begins with are kept."""
    measure = _measure(line)
    if measure(line) <= width:
        return [line.rstrip()]
    indent = line[: len(line) - len(line.lstrip())]
    rest = " " * (len(indent) + hanging)
    if len(rest) > width // 2:
        rest = indent if len(indent) <= width // 2 else ""
    lines, current = [], indent
    for word in line.split():
        for part in _parts(word, width - len(rest), measure):
            blank = current.strip() == ""
            glue = "" if blank or part.glued else " "
            if not blank and measure(current) + len(glue) + measure(part.text) > width:
                lines.append(current)
                current, glue = rest, ""
            current += glue + part.text
    return [*lines, current]


def continued(command: str, width: int) -> list[str]:
    """A command as lines that a shell takes as one; a word longer than a line stays whole, or it would be two."""
    measure = _measure(command)
    if measure(command) <= width:
        return [command]
    indent = command[: len(command) - len(command.lstrip())]
    lines = [indent]
    for word in command.split():
        if lines[-1].strip() and measure(f"{lines[-1]} {word}") > width - 2:
            lines.append(indent + " " * _CONTINUED)
        lines[-1] += f" {word}" if lines[-1].strip() else word
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]


class _Part:
    def __init__(self, text: str, glued: bool) -> None:
        self.text, self.glued = text, glued


def _parts(word: str, room: int, measure: Callable[[str], int]) -> Iterator[_Part]:
    """A word whole where a line holds it, else in parts."""
    glued = False
    while measure(word) > room:
        at = next(end for end in range(len(word), 0, -1) if end == 1 or measure(word[:end]) <= room)
        breaks = [end for end in range(at, at // 3, -1) if word[end - 1] in "/-_=,"]
        at = breaks[0] if breaks else at
        yield _Part(word[:at], glued)
        word, glued = word[at:], True
    yield _Part(word, glued)


def _measure(text: str) -> Callable[[str], int]:
    if text.isascii():
        return len
    from rich.cells import cell_len

    return cell_len
