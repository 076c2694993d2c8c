"""The locks that a thread of the program holds and waits for, from the lines at which it stands; runs in the sampler's
thread in the user's process, when the program makes no progress.

A lock is held by a thread that stands inside the `with` statement of it, or that took it by `acquire()` on an earlier
line of the same function. Invariant: nothing is called but what the locks of the standard library say of
themselves, and no lock is tried.
"""

from __future__ import annotations

from _thread import LockType, RLock
from types import FrameType
from typing import Any

from whydied.inside.guest import frame_variables, live_source, lookup
from whydied.inside.guest.ownership import Ownership
from whydied.records import LockUse
from whydied.source.locks import locks_at
from whydied.source.trees import written
from whydied.texts import python_output

_LOCKED_FRAMES = 8
_OWNER = python_output.LOCK_OWNER.pattern


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
    names = dict(frame_variables.variables(frame))
    found: list[LockUse] = []
    for use in locks_at(source.tree, line, innermost=innermost):
        kind, lock = _lock_of(lookup.evaluate(use.lock, frame, names)) or ("", None)
        if lock is not None and (use.sure or _is_taken(lock)):
            found.append(
                LockUse(
                    how=use.how,
                    name=written(use.lock)[:80],
                    kind=kind,
                    lock=id(lock),
                    file=file,
                    line=use.line,
                    owner=_owner(lock),
                    sure=use.sure,
                )
            )
    return found


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
