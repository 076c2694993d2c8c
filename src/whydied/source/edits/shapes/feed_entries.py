"""Edits of v1 sessions: the entries of a feed, the shape of a placeholder, the name of a result. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whydied.source.assignments import assigned
from whydied.source.calls import callee, passed_argument
from whydied.source.container_parts import expression
from whydied.source.edits.call_edits import add_argument, calls_at
from whydied.source.edits.edit import Edit, end_of, over, start_of
from whydied.source.edits.shapes.value_edits import written
from whydied.source.edits.shapes.whole_numbers import Sizes, sizes_edits
from whydied.source.text import Source
from whydied.source.trees import Function, around, nodes_on, scope_at, walk
from whydied.source.trees import written as text_of

_PLACEHOLDERS = ("placeholder", "placeholder_with_default")
_RUNS = ("run", "eval")


def fed_value(source: Source, file: str, line: int, key: str, code: str) -> list[Edit] | None:
    """The value of one entry of the feed that a statement uses, as `code` says with `{x}` in its place."""
    found = [value for name, value in _entries(source, line) if text_of(name) == _plain(key)]
    made = written(source, file, found[0], code) if len(found) == 1 else None
    if made is None or not (root := _root(found[0])):
        return made
    # The same array is fed for the same placeholder on other lines, too, and would fail there next.
    scope = scope_at(source.tree, found[0].lineno)
    others = [
        value
        for feed in walk(scope, ast.Dict)
        for name, value in zip(feed.keys, feed.values, strict=True)
        if name is not None and text_of(name) == _plain(key) and value is not found[0] and _root(value) == root
    ]
    more = [written(source, file, value, code) for value in others]
    return [*made, *(edit for edits in more for edit in edits or [] if edit not in made)]


def _root(node: ast.expr) -> str:
    """The name of the array that a feed takes a part of; empty for what is computed."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return text_of(node) if isinstance(node, ast.Name | ast.Attribute) else ""


def fed_key(source: Source, file: str, line: int, key: str, new: str) -> list[Edit] | None:
    """Another key for an entry."""
    found = [name for name, _ in _entries(source, line) if text_of(name) == _plain(key)]
    return [over(source, file, found[0], new)] if len(found) == 1 else None


def fed_more(source: Source, file: str, line: int, key: str, value: str) -> list[Edit] | None:
    """One more entry; a run without a feed gets one."""
    feeds = _feeds(source, line)
    if len(feeds) == 1 and feeds[0].values:
        place = end_of(source, feeds[0].values[-1])
        return [Edit(file, place, place, f", {key}: {value}")]
    calls = calls_at(source, line, "run")
    if feeds or len(calls) != 1 or len(calls[0].args) > 1 or calls[0].keywords:
        return None
    return [add_argument(source, file, calls[0], f"feed_dict={{{key}: {value}}}")]


def fed_less(source: Source, file: str, line: int, key: str) -> Edit | None:
    """The feed that a statement uses without one of its entries."""
    for feed in _feeds(source, line):
        at = [n for n, name in enumerate(feed.keys) if name is not None and text_of(name) == _plain(key)]
        name = feed.keys[at[0]] if len(at) == 1 else None
        if name is None or len(feed.keys) < 2:
            continue
        if at[0]:
            return Edit(file, end_of(source, feed.values[at[0] - 1]), end_of(source, feed.values[at[0]]), "")
        follower = feed.keys[1]
        return Edit(file, start_of(source, name), start_of(source, follower), "") if follower is not None else None
    return None


def fed_elsewhere(source: Source, line: int, key: str) -> str | None:
    """What a statement feeds for a placeholder, where that means the same on any line: a constant, or a name that the
    module assigns once."""
    found = [value for name, value in _entries(source, line) if text_of(name) == _plain(key)]
    if len(found) != 1:
        return None
    names = {one.id for one in walk(found[0], ast.Name)}
    once = all(len(assigned(name, source.tree)) == 1 for name in names)
    plain = isinstance(found[0], ast.Constant) or (isinstance(found[0], ast.Name) and once)
    return text_of(found[0]) if plain else None


def declared_shape(source: Source, file: str, line: int, was: Sizes, wanted: Sizes) -> list[Edit] | None:
    """The shape of the only placeholder that the statement at a line makes."""
    calls = [node for node in nodes_on(source, line) if isinstance(node, ast.Call) and callee(node) in _PLACEHOLDERS]
    given = passed_argument(calls[0], "shape") or passed_argument(calls[0], "1") if len(calls) == 1 else None
    return sizes_edits(source, file, given, was, wanted) if given is not None else None


def declared_width(source: Source, line: int) -> str:
    """The last size of the only placeholder that a statement makes, where it is a name that the module gives once."""
    calls = [node for node in nodes_on(source, line) if isinstance(node, ast.Call) and callee(node) in _PLACEHOLDERS]
    given = passed_argument(calls[0], "shape") or passed_argument(calls[0], "1") if len(calls) == 1 else None
    last = given.elts[-1] if isinstance(given, ast.List | ast.Tuple) and given.elts else None
    is_seen = isinstance(last, ast.Name) and len(assigned(last.id, source.tree)) == 1
    return last.id if isinstance(last, ast.Name) and is_seen else ""


def result_named(source: Source, file: str, line: int, name: str, new: str) -> list[Edit] | None:
    """Another name for the result of a run, in the statement at a line and where it is read as a value after that: what
    is passed to `run` is still the tensor."""
    statement = next((one for one in around(source.tree, line, ast.Assign) if source.span(line)[0] == one.lineno), None)
    names = walk(statement, ast.Name) if statement is not None else []
    bound = [one for one in names if one.id == name and isinstance(one.ctx, ast.Store)]
    if statement is None or len(bound) != 1:
        return None
    scope = scope_at(source.tree, line)
    asked = {one for call in walk(scope, ast.Call) if callee(call) in _RUNS for one in walk(call, ast.Name)}
    after = (statement.end_lineno or statement.lineno, statement.end_col_offset or 0)
    later = [
        one
        for one in walk(scope, ast.Name)
        if one.id == name and (one.lineno, one.col_offset) > after and one not in asked
    ]
    if any(not isinstance(one.ctx, ast.Load) for one in later) or _is_written(source, later):
        return None
    return [over(source, file, one, new) for one in [*bound, *later]]


def _is_written(source: Source, names: list[ast.Name]) -> bool:
    """Whether a name stands in the text of an f-string, where older versions of Python do not tell its place."""
    return any(source.lines[one.lineno - 1][one.col_offset :][: len(one.id)] != one.id for one in names)


def _feeds(source: Source, line: int) -> list[ast.Dict]:
    """The dicts of a statement, else those that its names were assigned before it."""
    nodes = nodes_on(source, line)
    found = [node for node in nodes if isinstance(node, ast.Dict)]
    if found:
        return found
    scope = scope_at(source.tree, line)
    scopes = [scope, source.tree] if isinstance(scope, Function) else [scope]
    for name in {node.id for node in nodes if isinstance(node, ast.Name)}:
        made = next((values for one in scopes if (values := assigned(name, one))), [])
        found += [one.value for one in made if isinstance(one.value, ast.Dict) and one.line <= line]
    return found


def _entries(source: Source, line: int) -> Iterator[tuple[ast.expr, ast.expr]]:
    for feed in _feeds(source, line):
        for key, value in zip(feed.keys, feed.values, strict=True):
            if key is not None:
                yield key, value


def _plain(text: str) -> str:
    return text_of(expression(text))
