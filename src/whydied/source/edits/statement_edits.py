"""Edits of whole statements: one taken out, moved, put into a block, or a block put around it. Pure.

A statement that shares its line with another gives None.
"""

from __future__ import annotations

import ast

from whydied.source.assignments import stored_names
from whydied.source.edits.edit import Edit, end_of, line_after, line_before, start_of
from whydied.source.text import Source
from whydied.source.trees import around, walk

_BLOCK = "    "
_BODIES = ("body", "orelse", "finalbody")


def statement_at(source: Source, line: int) -> ast.stmt | None:
    """The innermost statement that holds a line."""
    found = around(source.tree, line, ast.stmt)
    return max(found, key=lambda node: (node.lineno, -(node.end_lineno or 0)), default=None)


def without_statement(source: Source, file: str, node: ast.stmt) -> Edit:
    """A statement taken out with its lines, as if it had not been there."""
    return Edit(file, (node.lineno, 0), ((node.end_lineno or node.lineno) + 1, 0), "")


def left_out(source: Source, file: str, node: ast.stmt) -> Edit | None:
    """A statement left out with its line; `pass` in its place where a block has no other."""
    first, last = node.lineno, node.end_lineno or node.lineno
    if source.lines[first - 1][: start_of(source, node)[1]].strip():
        return None
    alone = any(getattr(block, name, None) == [node] for block in ast.walk(source.tree) for name in _BODIES)
    if alone:
        return Edit(file, start_of(source, node), end_of(source, node), "pass")
    return Edit(file, (first, 0), (last + 1, 0), "") if last < len(source.lines) else None


def lines_of(source: Source, node: ast.stmt) -> list[str]:
    """The lines of a statement without its indent."""
    indent = start_of(source, node)[1]
    return [line[indent:] for line in source.lines[node.lineno - 1 : node.end_lineno]]


def stands_alone(source: Source, node: ast.stmt) -> bool:
    """Whether a statement has its lines to itself, and no text that goes over several, whose indent is a part of it."""
    if any(one.end_lineno != one.lineno for one in walk(node, ast.Constant)):
        return False
    first, last = source.lines[node.lineno - 1], source.lines[(node.end_lineno or node.lineno) - 1]
    end = last.encode()[node.end_col_offset or 0 :].decode(errors="ignore").strip()
    return not first[: start_of(source, node)[1]].strip() and (not end or end.startswith("#"))


def move_above(source: Source, file: str, node: ast.stmt, line: int) -> list[Edit]:
    """A statement above the one at a line."""
    if not stands_alone(source, node):
        return []
    above = line_before(source, file, line, _shifted(source, node, line))
    return [above, without_statement(source, file, node)]


def _shifted(source: Source, node: ast.stmt, line: int) -> str:
    """A statement's lines as they stand at the indent of another line; the first has none."""
    text = source.lines[source.span(line)[0] - 1]
    indent = text[: len(text) - len(text.lstrip())]
    return f"\n{indent}".join(lines_of(source, node))


def around_statements(source: Source, file: str, first: ast.stmt, last: ast.stmt, header: str) -> list[Edit]:
    """A block around statements that follow each other: `with …:` above them, and they further to the right."""
    end = last.end_lineno or last.lineno
    if not stands_alone(source, first) or not stands_alone(source, last):
        return []
    edits = [line_before(source, file, first.lineno, header)]
    edits += [
        Edit(file, (number, 0), (number, 0), _BLOCK)
        for number in range(first.lineno, end + 1)
        if source.lines[number - 1].strip()
    ]
    # Both begin at the same place, where edits must not meet.
    head = Edit(file, edits[0].start, edits[0].end, edits[0].text + _BLOCK)
    return [head, *edits[2:]]


def guarded_main(source: Source, file: str, line: int, header: str) -> list[Edit]:
    """A guard around the statement of a script's top level that holds a line and all that follows it; empty where
    functions or classes are among these, which others may have to import."""
    following = [node for node in source.tree.body if (node.end_lineno or node.lineno) >= line]
    if not following or any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for node in following
    ):
        return []
    return around_statements(source, file, following[0], following[-1], header)


def below(source: Source, file: str, line: int, text: str) -> Edit | None:
    """A statement below the one at a line, where that is not the header of a block."""
    node = statement_at(source, line)
    if node is None or hasattr(node, "body"):
        return None
    return line_after(source, file, line, text)


def only_if(source: Source, file: str, line: int, name: str) -> list[Edit]:
    """`if name:` around the statement at a line and those that follow it and use the name, or what the ones before made
    of it; empty where something else uses that."""
    first = statement_at(source, line)
    blocks = [
        body
        for node in ast.walk(source.tree)
        for part in _BODIES
        if isinstance(body := getattr(node, part, None), list)
    ]
    block = next((body for body in blocks if first in body), None)
    if first is None or block is None or hasattr(first, "body"):
        return []
    rest: list[ast.stmt] = block[block.index(first) :]
    inside, made = [first], stored_names(first)
    for one in rest[1:]:
        if not {name, *made} & {part.id for part in walk(one, ast.Name)}:
            break
        inside.append(one)
        made |= stored_names(one)
    outside = [node for one in rest[len(inside) :] for node in walk(one, ast.Name)]
    if any(node.id in made for node in outside):
        return []
    return around_statements(source, file, inside[0], inside[-1], f"if {name}:")
