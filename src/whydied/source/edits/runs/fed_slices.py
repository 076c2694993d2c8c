"""Edits of what a session of TensorFlow 1 is fed: slices, one after the other, in the place of all rows. Pure."""

from __future__ import annotations

import ast

from whydied.source.calls import callee, passed_argument
from whydied.source.edits.edit import Edit, over, written_in
from whydied.source.edits.import_edits import name_of
from whydied.source.text import Source
from whydied.source.trees import nodes_on, walk

_COUNTERS = ("start", "first", "begin")


def fed_in_slices(source: Source, file: str, line: int, rows: int, feeds: int) -> Edit | None:
    """The mean over slices of what a session gives for one value. `feeds` is how many arrays of all rows it was fed:
    each of them must be a name here."""
    numpy = name_of(source, "numpy")
    known = {node.id for node in walk(source.tree, ast.Name)}
    counter = next((name for name in _COUNTERS if name not in known), None)
    calls = [node for node in nodes_on(source, line) if isinstance(node, ast.Call) and _feed(node) is not None]
    if numpy is None or counter is None or len(calls) != 1:
        return None
    call, feed = calls[0], _feed(calls[0])
    arrays = [value for value in feed.values if isinstance(value, ast.Name)] if feed is not None else []
    if feed is None or len(arrays) != feeds or not all(isinstance(one, ast.Name | ast.Constant) for one in feed.values):
        return None
    parts = [
        f"{written_in(source, key)}: {_sliced(value, counter, rows)}"
        for key, value in zip(feed.keys, feed.values, strict=True)
        if key is not None
    ]
    text, old = written_in(source, call), written_in(source, feed)
    if len(parts) != len(feed.values) or text.count(old) != 1:
        return None
    each = text.replace(old, f"{{{', '.join(parts)}}}")
    over_rows = f"range(0, len({arrays[0].id}), {rows})"
    return over(source, file, call, f"{numpy}.mean([{each} for {counter} in {over_rows}])")


def _feed(call: ast.Call) -> ast.Dict | None:
    """The feed of `value.eval(feed)` and of `session.run(value, feed)` with one value."""
    given: ast.expr | None = None
    if callee(call) == "eval" and not isinstance(passed_argument(call, "1"), ast.Dict):
        given = passed_argument(call, "feed_dict") or passed_argument(call, "0")
    elif callee(call) == "run" and isinstance(passed_argument(call, "0"), ast.Name | ast.Attribute):
        given = passed_argument(call, "feed_dict") or passed_argument(call, "1")
    return given if isinstance(given, ast.Dict) and given.values else None


def _sliced(value: ast.expr, counter: str, rows: int) -> str:
    return f"{value.id}[{counter}:{counter} + {rows}]" if isinstance(value, ast.Name) else ast.unparse(value)
