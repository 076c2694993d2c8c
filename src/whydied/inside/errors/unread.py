"""The files behind a failing statement: that of a variable which is None because `imread` or a function of the user's
gave that, and the text files that are open; runs in the user's process, after an exception.

Invariant: nothing of the user's is called; a path is put together here from the parts that the source joins.
"""

from __future__ import annotations

import ast
import io
import os
from pathlib import PurePath
from types import FrameType, FunctionType, TracebackType

from whydied import redact
from whydied.inside.guest import live_source, lookup
from whydied.inside.guest.ownership import Ownership
from whydied.records import TextFileSeen
from whydied.source.assignments import last_assignment, reads
from whydied.source.calls import callee
from whydied.source.trees import dotted_name, nodes_on, scope_at, walk

LARGEST_FILES = 4
LONGEST_LINE = 300
_READING = frozenset({"imread"})
_JOINING = frozenset({"join", "Path", "str", "fspath", "joinpath"})


def path_of(trace: TracebackType | None, ownership: Ownership) -> str | None:
    """The path of the picture, where the innermost frame of the user's has one that could not be read."""
    inner: TracebackType | None = None
    while trace is not None:
        inner = trace if ownership.user_file(trace.tb_frame) is not None else inner
        trace = trace.tb_next
    file = ownership.user_file(inner.tb_frame) if inner is not None else None
    parsed = live_source.source(file) if file is not None else None
    if inner is None or parsed is None:
        return None
    frame, line = inner.tb_frame, inner.tb_lineno or 0
    at = nodes_on(parsed, line)
    calls = [call for node in at for call in walk(node, ast.Call)]
    for node in reads(at):
        if isinstance(node, ast.Name) and lookup.evaluate(node, frame) is None:
            made = last_assignment(node.id, scope_at(parsed.tree, line), line)
            value = getattr(made, "value", None)
            calls += [value] if isinstance(value, ast.Call) else []
    reading = next((call for call in calls if call.args and _is_reading(call, frame, ownership)), None)
    return _text(reading.args[0], frame) if reading is not None else None


def _is_reading(call: ast.Call, frame: FrameType, ownership: Ownership) -> bool:
    """Whether a call reads a picture, or calls a function of the user's that may: its name is looked up, not called."""
    if callee(call) in _READING:
        return True
    value = lookup.evaluate(call.func, frame)
    if not isinstance(value, FunctionType):
        return False
    code = value.__code__
    return ownership.owned(code.co_filename, value.__globals__.get("__name__") == "__main__") is not None


def open_files(trace: TracebackType | None, ownership: Ownership) -> list[TextFileSeen]:
    """The text files among the variables of the user's frames, each with its first line."""
    found: dict[str, TextFileSeen] = {}
    while trace is not None and len(found) < LARGEST_FILES:
        if ownership.user_file(trace.tb_frame) is not None:
            for value in list(trace.tb_frame.f_locals.values()):
                name = value.name if type(value) is io.TextIOWrapper else None
                if isinstance(name, str) and os.path.isfile(name):
                    found[name] = TextFileSeen(path=redact.text(name), first_line=_first_line(name))
        trace = trace.tb_next
    return list(found.values())


def _first_line(path: str) -> str:
    try:
        with open(path, "rb") as stream:
            head = stream.read(LONGEST_LINE).decode("utf-8", "replace")
    except OSError:
        return ""
    return redact.text(head.splitlines()[0]) if head else ""


def _text(node: ast.expr, frame: FrameType) -> str | None:
    """The text that an expression puts together; None where something else than texts takes part."""
    value = lookup.evaluate(node, frame)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, PurePath) and type(value).__module__.partition(".")[0] == "pathlib":
        return os.fspath(value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
        parts = [_text(one, frame) for one in (node.left, node.right)]
        joint = "/" if isinstance(node.op, ast.Div) else ""
        return joint.join(one for one in parts if one is not None) if None not in parts else None
    if isinstance(node, ast.JoinedStr):
        pieces = [one.value if isinstance(one, ast.FormattedValue) else one for one in node.values]
        return _joined([_text(one, frame) for one in pieces], "")
    if isinstance(node, ast.Call) and callee(node) in _JOINING and node.args:
        is_path = callee(node) == "join" and (dotted_name(node.func) or "").endswith("path.join")
        return _joined([_text(one, frame) for one in node.args], "/") if is_path or callee(node) != "join" else None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return None


def _joined(parts: list[str | None], joint: str) -> str | None:
    found = [one for one in parts if one is not None]
    return joint.join(found) if len(found) == len(parts) else None
