"""The locks that a thread of the program holds and waits for, from the lines at which it stands; runs in the sampler's
thread in the user's process, when the program makes no progress.

A lock is held by a thread that stands inside the `with` statement of it, or that took it by `acquire()` on an earlier
line of the same function. What always holds: nothing is called but what the locks of the standard library say of
themselves, and no lock is tried.
"""

from __future__ import annotations

import ast
import re
from _thread import LockType, RLock
from types import FrameType
from typing import Any

from whydied.inside.guest import frame_variables, live_source, lookup
from whydied.inside.guest.ownership import Ownership
from whydied.records import LockUse
from whydied.source.trees import scope_at

_LOCKED_FRAMES = 8
_OWNER = re.compile(r"owner=(\d+)")


def locks(frame: FrameType | None, ownership: Ownership) -> list[LockUse]:
    """The locks of the user's lines of one stack. What a condition gave back while it waits is not held."""
    found: list[LockUse] = []
    given_back: set[int] = set()
    innermost = True
    seen = 0
    while frame is not None and seen < _LOCKED_FRAMES:
        mine = ownership.user_file(frame)
        if mine is None:
            if frame.f_code.co_name == "wait" and frame.f_code.co_filename.endswith("threading.py"):
                lock = lookup.instance_dict(dict(frame_variables.variables(frame)).get("self")).get("_lock")
                given_back.add(id(lock))
            # A lock of the standard library's own is taken in frames of the standard library.
            innermost = innermost and "multiprocessing" in frame.f_code.co_filename
        else:
            seen += 1
            found += _locks_at(frame, mine, innermost)
            innermost = False
        frame = frame.f_back
    return [use for use in found if use.how == "waits" or use.lock not in given_back]


def _locks_at(frame: FrameType, file: str, innermost: bool) -> list[LockUse]:
    source = live_source.source(file)
    if source is None:
        return []
    line = frame.f_lineno or 0
    function = scope_at(source.tree, line)
    names = dict(frame_variables.variables(frame))
    found: list[LockUse] = []
    for node in ast.walk(function):
        if isinstance(node, ast.With):
            inside = bool(node.body) and node.body[0].lineno <= line <= (node.end_lineno or 0)
            at_head = node.lineno <= line < node.body[0].lineno
            if inside or (at_head and innermost):
                for item in node.items:
                    found += _use("holds" if inside else "waits", item.context_expr, frame, names, file)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "acquire":
            if node.lineno <= line <= (node.end_lineno or 0) and innermost:
                found += _use("waits", node.func.value, frame, names, file)
            elif node.lineno < line and not _released(function, node, line):
                found += _use("holds", node.func.value, frame, names, file, line=node.lineno, sure=False)
    return found


def _released(function: ast.AST, taken: ast.Call, line: int) -> bool:
    """Whether the lock that a call took is given back on a line between that call and where the thread stands."""
    assert isinstance(taken.func, ast.Attribute)
    what = ast.dump(taken.func.value)
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "release"
        and taken.lineno <= node.lineno < line
        and ast.dump(node.func.value) == what
        for node in ast.walk(function)
    )


def _use(
    how: str,
    expression: ast.expr,
    frame: FrameType,
    names: dict[str, Any],
    file: str,
    *,
    line: int | None = None,
    sure: bool = True,
) -> list[LockUse]:
    lock = _lock_of(_value(expression, frame, names))
    if lock is None:
        return []
    kind, real = lock
    if not sure and not _is_taken(real):
        return []
    return [
        LockUse(
            how=how,
            name=ast.unparse(expression)[:80],
            kind=kind,
            lock=id(real),
            file=file,
            line=line or expression.lineno,
            owner=_owner(real),
            sure=sure,
        )
    ]


def _lock_of(value: Any) -> tuple[str, Any] | None:
    """A lock in a word, and the object that is really taken."""
    if type(value) is LockType:
        return "lock", value
    if type(value) is RLock:
        return "reentrant lock", value
    if type(value).__module__ == "threading" and type(value).__name__ == "Condition":
        return _lock_of(lookup.instance_dict(value).get("_lock"))
    return None


def _owner(lock: Any) -> int | None:
    """Who holds a reentrant lock, as its own description says."""
    found = _OWNER.search(repr(lock)) if type(lock) is RLock else None
    return int(found[1]) if found and found[1] != "0" else None


def _is_taken(lock: Any) -> bool:
    return bool(lock.locked()) if type(lock) is LockType else _owner(lock) is not None


def _value(node: ast.AST, frame: FrameType, names: dict[str, Any]) -> Any:
    """What an expression of names and attributes is, looked up and never called."""
    if isinstance(node, ast.Name):
        return names.get(node.id, frame.f_globals.get(node.id, lookup.MISSING))
    if isinstance(node, ast.Attribute):
        base = _value(node.value, frame, names)
        return base if isinstance(base, lookup.Missing) else lookup.attribute(base, node.attr)
    if isinstance(node, ast.Subscript):
        index = node.slice.value if isinstance(node.slice, ast.Constant) else _value(node.slice, frame, names)
        return lookup.item(_value(node.value, frame, names), index)
    return lookup.MISSING
