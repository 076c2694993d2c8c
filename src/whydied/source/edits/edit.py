"""A change of the user's source as data, and the text and the patch that come of it. Pure.

Invariant: ranges are those of the text as it ran. Edits that overlap, change nothing or leave something that is not
Python give no text and no patch.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from whydied.source.bindings import cell_number
from whydied.source.edits.unified_diff import difference, is_below, lines_of, shown_name
from whydied.source.text import BOM, Source, parsed
from whydied.source.trees import around

Harm = Literal["exact", "same result", "changed result"]
"""What a change does to a program that would have worked: nothing, rounding and order alone, or another result."""
Point = tuple[int, int]
"""A line, from 1, and a column in characters, from 0."""
_LINE_END = re.compile(r"\r\n|\r|\n")


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


def end_of(source: Source, node: ast.expr | ast.keyword | ast.stmt | ast.arg) -> Point:
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
    # What takes the last line away ends behind it.
    end_line = source.lines[last - 1][:right] if last <= len(source.lines) else ""
    return "\n".join([source.lines[first - 1][left:], *inner, end_line])


def edited(source: Source, edits: Iterable[Edit]) -> str | None:
    """The text with all edits in it and every other character as it was; of several at one place the first comes
    first. Lines of an edit end as those around it do."""
    in_order = sorted(edits, key=lambda one: (one.start, one.end))
    python = source.code_lines
    in_code = [_in_code(edit, source.lines, python) for edit in in_order]
    before = "".join(f"{line}\n" for line in python)
    after, result = _applied(before, in_code), _applied(source.exact, in_order)
    if after is None or result is None:
        return None
    try:
        changed = ast.dump(parsed(after)) != ast.dump(parsed(before))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return result if changed else None


def _in_code(edit: Edit, lines: list[str], python: list[str]) -> Edit | None:
    """An edit of a cell as one of the Python that IPython made of it; None where what it replaces is written otherwise
    there."""
    first, last = edit.start[0], edit.end[0]
    if lines[first - 1 : last] == python[first - 1 : last]:
        return edit
    text, made = ("".join(some[first - 1 : first]) for some in (lines, python))
    column = edit.start[1]
    if edit.start != edit.end or column not in (0, len(text)):
        return None
    # A line of its own, above or below a magic.
    place = (first, len(made) if column else 0)
    return Edit(edit.file, place, place, edit.text)


def _applied(text: str, in_order: Sequence[Edit | None]) -> str | None:
    ends = [found[0] for found in _LINE_END.finditer(text)]
    usual = ends[0] if ends else "\n"
    is_open = not _LINE_END.match(text[-1:])
    result = text + usual if is_open else text
    starts = [int(text.startswith(BOM)), *(found.end() for found in _LINE_END.finditer(result))]
    following = len(result)
    for edit in reversed(in_order):
        if edit is None or not 1 <= edit.start[0] <= edit.end[0] <= len(starts):
            return None
        first, last = (starts[line - 1] + column for line, column in (edit.start, edit.end))
        if not first <= last <= following:
            return None
        own = _LINE_END.search(result, last)
        result = result[:first] + _LINE_END.sub(own[0] if own else usual, edit.text) + result[last:]
        following = first
    return result.removesuffix(usual) if is_open else result


def patch(sources: Mapping[str, Source], edits: Iterable[Edit], root: str) -> str | None:
    """A unified diff of all files, whose names are relative to `root`; to the top of the file system where one of them
    lies elsewhere. A cell of a notebook is named by its number."""
    by_file = edits_by_file(edits)
    base = root if all(is_below(file, root) for file in by_file if cell_number(file) is None) else "/"
    parts = []
    for file, own in by_file.items():
        source = sources.get(file)
        text = edited(source, own) if source is not None else None
        if source is None or text is None:
            return None
        cell = cell_number(file)
        if cell is not None:
            # No last line of a cell has an end.
            parts.append(difference(f"{source.exact}\n", f"{text}\n", f"cell {cell}"))
        else:
            parts.append(difference(source.exact, text, shown_name(file, base)))
    return "".join(parts) or None


def line_edits(source: Source, file: str, text: str) -> list[Edit]:
    """What makes one text of another, by whole lines."""
    before, after = lines_of(source.exact), lines_of(text)
    opcodes = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [
        Edit(file, (first + 1, 0), (last + 1, 0), "".join(after[start:end]))
        for kind, first, last, start, end in opcodes
        if kind != "equal"
    ]


def edits_by_file(edits: Iterable[Edit]) -> dict[str, list[Edit]]:
    by_file: dict[str, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(edit.file, []).append(edit)
    return by_file


def _point(source: Source, line: int, offset: int) -> Point:
    """Python counts columns in bytes of UTF-8."""
    return line, len(source.lines[line - 1].encode()[:offset].decode(errors="ignore"))


def _indented(text: str, indent: str) -> str:
    return text.replace("\n", f"\n{indent}")


def _indent(source: Source, line: int) -> str:
    text = source.lines[line - 1]
    return text[: len(text) - len(text.lstrip())]
