"""An edit done again where the source is written alike: the second split, the next weight, the other branch. Pure.

What is edited is found by its way down from the call or the list that holds it (the first argument, `shape=`, an
item). At the same way down another call of the same function, another item of the same list, another constant of the
same value has its like. There the same is written, with the names that stand there; where one of those would be lost
nothing is written.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from whydied.source.edits.edit import Edit, end_of, start_of, text_between, written_in
from whydied.source.text import Source, parsed
from whydied.source.trees import last_name, scope_at, walk, within, written

MOST_LIKE = 12
"""A program that writes a thing more often than that does not mean one thing by it."""
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\"[^\"\n]*\"|'[^'\n]*'|\s+|.", re.DOTALL)
_NAMED = re.compile(r"[\w\"'].*", re.DOTALL)
_PLAIN = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant)
_Way = tuple[tuple[str, int | str | None], ...]


class _Place(NamedTuple):
    """A node that is edited, what stands around it, the outermost first, and its new text."""

    node: ast.expr
    around: list[ast.AST]
    text: str


def likewise(source: Source, edits: list[Edit]) -> list[list[Edit]]:
    """For edits of one file, the sets of further edits that do the same elsewhere in it: at the other items of a list,
    at other calls of the same function, at other constants of the same value. Each set goes with the edits given."""
    if len({one.file for one in edits}) != 1:
        return []
    found: list[list[Edit]] = []
    for alike in (_items, _calls, _constants):
        further: dict[tuple[int, int], Edit] = {}
        for place in _places(source, edits):
            for node in alike(source, place):
                edit = _edit(source, edits[0].file, place, node)
                if edit is not None and not any(one.start <= edit.end and edit.start <= one.end for one in edits):
                    further[edit.start] = edit
        if further and len(further) <= MOST_LIKE:
            found.append([further[start] for start in sorted(further)])
    return found


def at_like_calls(source: Source, edits: list[Edit]) -> list[Edit]:
    """The edits, and the same at the other calls of the function that are given the same sort of value there."""
    further = [
        _edit(source, edits[0].file, place, node)
        for place in _places(source, edits)
        for node in _calls(source, place)
        if _sort(node) == _sort(place.node)
    ]
    return [*edits, *(one for one in further if one is not None)]


def _sort(node: ast.expr) -> tuple[type, type]:
    return type(node), type(getattr(node, "value", None)) if isinstance(node, ast.Constant) else type(None)


def _places(source: Source, edits: list[Edit]) -> list[_Place]:
    """The expressions that are edited; lines of their own, as an import has, are not among them."""
    by_node: dict[ast.expr, tuple[list[ast.AST], list[Edit]]] = {}
    for wide in edits:
        edit = _narrowed(source, wide)
        around = _around(source, edit)
        inner = around[-1] if around else None
        if isinstance(inner, ast.expr):
            by_node.setdefault(inner, (around[:-1], []))[1].append(edit)
    return [
        _Place(node, around, _text_with(source, node, own))
        for node, (around, own) in by_node.items()
        if node.lineno == node.end_lineno
    ]


def _narrowed(source: Source, edit: Edit) -> Edit:
    """The same edit without what stands there already, token by token."""
    old = _TOKEN.findall(text_between(source, edit.start, edit.end))
    new = _TOKEN.findall(edit.text)
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    start = _moved(edit.start, "".join(old[:first]))
    end = _moved(start, "".join(old[first : len(old) - last]))
    return Edit(edit.file, start, end, "".join(new[first : len(new) - last]))


def _moved(place: tuple[int, int], text: str) -> tuple[int, int]:
    line, column = place
    rows = text.split("\n")
    return (line, column + len(text)) if len(rows) == 1 else (line + len(rows) - 1, len(rows[-1]))


def _around(source: Source, edit: Edit) -> list[ast.AST]:
    """The nodes that hold an edit, from the statement to the smallest expression."""
    found: list[ast.AST] = []
    pending: list[ast.AST] = list(source.tree.body)
    while pending:
        node = pending.pop()
        if not isinstance(node, ast.expr | ast.keyword | ast.stmt):
            pending += ast.iter_child_nodes(node)
        elif start_of(source, node) <= edit.start and edit.end <= end_of(source, node):
            found.append(node)
            pending = list(ast.iter_child_nodes(node))
    return found


def _text_with(source: Source, node: ast.expr, edits: list[Edit]) -> str:
    text, begin = written_in(source, node), start_of(source, node)[1]
    for edit in sorted(edits, key=lambda one: one.start, reverse=True):
        text = text[: edit.start[1] - begin] + edit.text + text[edit.end[1] - begin :]
    return text


def _items(source: Source, place: _Place) -> Iterator[ast.expr]:
    """The other items of the list or tuple that the node is one of."""
    holder = place.around[-1] if place.around else None
    if isinstance(holder, ast.List | ast.Tuple):
        yield from (one for one in holder.elts if one is not place.node and type(one) is type(place.node))


def _calls(source: Source, place: _Place) -> Iterator[ast.expr]:
    """What stands at the same place of other calls of the same function."""
    nodes = [*place.around, place.node]
    at = next((at for at in range(len(nodes) - 1, -1, -1) if isinstance(nodes[at], ast.Call)), None)
    if at is None:
        return
    call = nodes[at]
    assert isinstance(call, ast.Call)
    way = _way(nodes[at:])
    for other in walk(source.tree, ast.Call):
        if other is call or last_name(other.func) != last_name(call.func) or not last_name(call.func):
            continue
        node = _followed(other, way)
        if node is not None:
            yield node


def _constants(source: Source, place: _Place) -> Iterator[ast.expr]:
    """The other constants of the same value that are named in the same scope."""
    owner = place.around[-1] if place.around else None
    if isinstance(owner, ast.Assign) and isinstance(place.node, ast.Constant):
        for other in within(scope_at(source.tree, owner.lineno)):
            value = other.value if isinstance(other, ast.Assign) else None
            if other is not owner and isinstance(value, ast.Constant) and value.value == place.node.value:
                yield value


def _way(nodes: list[ast.AST]) -> _Way:
    """The way from the first node down to the last: by fields, positions and keywords."""
    found: list[tuple[str, int | str | None]] = []
    for holder, inner in itertools.pairwise(nodes):
        for field, value in ast.iter_fields(holder):
            if value is inner:
                found.append((field, None))
            elif isinstance(value, list) and any(one is inner for one in value):
                at: int | str | None = next(number for number, one in enumerate(value) if one is inner)
                found.append((field, inner.arg if isinstance(inner, ast.keyword) else at))
    return tuple(found)


def _followed(node: ast.AST, way: _Way) -> ast.expr | None:
    for field, at in way:
        value = getattr(node, field, None)
        if isinstance(at, str) or (at is None and isinstance(value, list)):
            value = next((one for one in value or [] if getattr(one, "arg", None) == at), None)
        elif isinstance(at, int):
            value = value[at] if isinstance(value, list) and at < len(value) else None
        if not isinstance(value, ast.AST):
            return None
        node = value
    return node if isinstance(node, ast.expr) else None


def _edit(source: Source, file: str, place: _Place, node: ast.expr) -> Edit | None:
    """The edit of the place done at a like node; None where it would lose what stands there, or leave no Python."""
    if (type(node) is not type(place.node) and not isinstance(node, _PLAIN)) or node.lineno != node.end_lineno:
        return None
    old, there = written_in(source, place.node), written_in(source, node)
    text = place.text if there == old else _translated(old, place.text, there, node)
    if text is None or text == there or written(node) == text:
        return None
    edit = Edit(file, start_of(source, node), end_of(source, node), text)
    return edit if _is_python(source, edit) else None


def _translated(old: str, new: str, there: str, node: ast.expr) -> str | None:
    """What `new` is of `old`, of what stands there."""
    ours, theirs, after = (_TOKEN.findall(one) for one in (old, there, new))
    if len(ours) == len(theirs) and all(_kind(one) == _kind(two) for one, two in zip(ours, theirs, strict=True)):
        names = {one: two for one, two in zip(ours, theirs, strict=True) if one != two}
        if all(one in after for one in names):
            return "".join(names.get(one, one) for one in after)
    before, found, behind = new.partition(old)
    return f"{before}{there}{behind}" if found and isinstance(node, _PLAIN) else None


def _kind(token: str) -> str:
    """A sign by itself; names, numbers and texts by what they are."""
    if not _NAMED.match(token):
        return token
    return "text" if token[0] in "\"'" else "number" if token[0].isdigit() else "name"


def _is_python(source: Source, edit: Edit) -> bool:
    """Whether the statement can still be run with this edit in it."""
    first, last = source.span(edit.start[0])
    lines = source.lines[first - 1 : last]
    row = edit.start[0] - first
    lines[row] = lines[row][: edit.start[1]] + edit.text + lines[row][edit.end[1] :]
    indent = len(lines[0]) - len(lines[0].lstrip())
    text = "\n".join([lines[0][indent:], *lines[1:]])
    try:
        tree = parsed(f"{text} pass" if text.rstrip().endswith(":") else text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    # A keyword that is given twice is refused by the compiler alone.
    given = [[one.arg for one in call.keywords if one.arg] for call in walk(tree, ast.Call)]
    return all(len(words) == len(set(words)) for words in given)
