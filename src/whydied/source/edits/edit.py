"""A change of the user's source as data, and the text and the patch that come of it. Pure.

Invariant: ranges are those of the text as it ran. Edits that overlap, change nothing or leave something that is not
Python give no text and no patch.
"""

from __future__ import annotations

import ast
import difflib
import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from whydied.source.text import Source, parsed
from whydied.source.trees import around

Harm = Literal["exact", "same result", "changed result"]
"""What a change does to a program that would have worked: nothing, rounding and order alone, or another result."""
Point = tuple[int, int]
"""A line, from 1, and a column in characters, from 0."""


class Edit(msgspec.Struct, frozen=True):
    """`text` in the place of what stands from `start` to `end`."""

    file: str
    start: Point
    end: Point
    text: str


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """Edits that belong together, and what they do in one sentence. `kind` is a word for other programs, `value` what
    was chosen (a batch size, a rate), `harm` what the change costs the user."""

    title: str
    kind: str
    edits: list[Edit]
    value: Any = None
    harm: Harm = "changed result"


def over(source: Source, file: str, node: ast.expr | ast.keyword | ast.stmt, text: str) -> Edit:
    """A node written anew."""
    return Edit(file, start_of(source, node), end_of(source, node), text)


def start_of(source: Source, node: ast.expr | ast.keyword | ast.stmt) -> Point:
    return _point(source, node.lineno, node.col_offset)


def end_of(source: Source, node: ast.expr | ast.keyword | ast.stmt) -> Point:
    return _point(source, node.end_lineno or node.lineno, node.end_col_offset or 0)


def statement(source: Source, file: str, line: int, text: str) -> Edit:
    """The statement that holds a line written anew, or the header of a compound one; a comment behind it stays."""
    first, last = source.span(line)
    node = min(
        (one for one in around(source.tree, line, ast.stmt) if one.lineno == first),
        key=lambda one: one.end_lineno or one.lineno,
        default=None,
    )
    end = len(source.lines[last - 1].partition("  #")[0].rstrip())
    if node is not None and not hasattr(node, "body"):
        last, end = end_of(source, node)
    return Edit(file, (first, len(_indent(source, first))), (last, end), _indented(text, _indent(source, first)))


def line_before(source: Source, file: str, line: int, text: str) -> Edit:
    """A statement above the one at a line, as far to the right."""
    first = source.span(line)[0]
    return Edit(file, (first, 0), (first, 0), f"{_indent(source, first)}{text}\n")


def line_after(source: Source, file: str, line: int, text: str) -> Edit:
    """A statement below the one at a line."""
    first, last = source.span(line)
    end = (last, len(source.lines[last - 1]))
    return Edit(file, end, end, f"\n{_indent(source, first)}{text}")


def written_in(source: Source, node: ast.expr | ast.keyword | ast.stmt) -> str:
    """What stands in the text for a node, as it is written there."""
    return text_between(source, start_of(source, node), end_of(source, node))


def text_between(source: Source, start: Point, end: Point) -> str:
    (first, left), (last, right) = start, end
    if first == last:
        return source.lines[first - 1][left:right]
    inner = source.lines[first : last - 1]
    return "\n".join([source.lines[first - 1][left:], *inner, source.lines[last - 1][:right]])


def edited(source: Source, edits: Iterable[Edit]) -> str | None:
    """The text with all edits in it; of several at one place the first comes first."""
    text = "\n".join(source.lines) + "\n"
    starts = [0]
    for line in source.lines:
        starts.append(starts[-1] + len(line) + 1)
    following = len(text)
    result = text
    in_order = sorted(edits, key=lambda one: (one.start, one.end))
    for edit in in_order[::-1]:
        first, last = (starts[line - 1] + column for line, column in (edit.start, edit.end))
        if not first <= last <= following:
            return None
        result = result[:first] + edit.text + result[last:]
        following = first
    try:
        changed = ast.dump(parsed(result)) != ast.dump(parsed(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return result if changed else None


def patch(sources: Mapping[str, Source], edits: Iterable[Edit], root: str) -> str | None:
    """A unified diff of all files, whose names are relative to `root` where they lie below it."""
    by_file: dict[str, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(edit.file, []).append(edit)
    parts = []
    for file, own in by_file.items():
        source = sources.get(file)
        text = edited(source, own) if source is not None else None
        if source is None or text is None:
            return None
        parts += difference(source, text, file, root)
    return "".join(parts) or None


def difference(source: Source, text: str, file: str, root: str) -> list[str]:
    """The lines of a unified diff of one file."""
    shown = os.path.relpath(file, root) if root and file.startswith(root.rstrip("/") + "/") else file.lstrip("/")
    before = [f"{line}\n" for line in source.lines]
    return list(difflib.unified_diff(before, text.splitlines(keepends=True), f"a/{shown}", f"b/{shown}"))


def _point(source: Source, line: int, offset: int) -> Point:
    """Python counts columns in bytes of UTF-8."""
    return line, len(source.lines[line - 1].encode()[:offset].decode(errors="ignore"))


def _indented(text: str, indent: str) -> str:
    return text.replace("\n", f"\n{indent}")


def _indent(source: Source, line: int) -> str:
    text = source.lines[line - 1]
    return text[: len(text) - len(text.lstrip())]
