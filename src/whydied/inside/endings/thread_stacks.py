"""The stacks of all threads, and the locks that they hold and wait for; runs in the sampler's thread in the user's
process, when the supervisor asks because the program makes no progress.

It asks by a file `stacks-<pid>` in the run's directory, whose text is the number of the request. Invariant:
nothing is called and no lock is tried; sources are read before a frame is looked at, so that from the first frame to
the last no other thread runs; no frame is kept. A lock is held by a thread that stands inside the `with` statement of
it, or that took it by `acquire()` on an earlier line of the same function; nothing is called but what the locks of the
standard library say of themselves.
"""

from __future__ import annotations

import os
import sys
from _thread import LockType, RLock, get_ident
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

from whydied.inside import journal
from whydied.inside.endings.polled_conditions import polled
from whydied.inside.guest import frame_variables, garbage_collection, live_source, lookup, standstill
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.ownership import Ownership
from whydied.inside.guest.user_frames import line_of
from whydied.records import Frame, LockUse, StacksTaken, ThreadStack
from whydied.records.hangs import INNERMOST, LONGEST_LINE, POOLS, fitting, own_part, ranked
from whydied.source.trees import written
from whydied.source.waits.locks import locks_at
from whydied.texts import python_output

OUTER_USER = 6
_T = TypeVar("_T")
_Steps = list[tuple[str, int, str, str | None]]
_LOCKED_FRAMES = 8


@guarded("thread_stacks.answer")
def answer(run: str) -> None:
    """Answer a request, where there is one."""
    path = os.path.join(run, f"stacks-{os.getpid()}")
    try:
        with standstill.of_main_thread(), open(path, "rb") as request:
            moment = int(request.read(20) or 0)
        os.unlink(path)
    except (OSError, ValueError):
        return
    owner = journal.current()
    if owner is None or standstill.beside_others():
        return
    owner.find_main()
    stacks = survey(owner.ownership)
    owner.write(fitting(StacksTaken(pid=os.getpid(), how="inside", moment=moment, threads=stacks)))


def survey(ownership: Ownership) -> list[ThreadStack]:
    """Every thread of this process but the calling one, the main thread first."""
    for steps in _each_thread(lambda ident, frame: _lines(frame, ownership)):
        for _, _, _, mine in steps:
            if mine is not None:
                live_source.source(mine)
    names = _names()
    main = _main()

    def stack(ident: int, frame: FrameType) -> ThreadStack:
        name, native = names.get(ident, (f"native-{ident}", None))
        return _thread(ident, frame, name, native, ident == main, ownership)

    return ranked(_each_thread(stack))


def _each_thread(look: Callable[[int, FrameType], _T]) -> list[_T]:
    """What a look at the stack of every other thread gives; no frame is kept."""
    with garbage_collection.held_off():
        frame: FrameType | None = None
        frames = sys._current_frames()
        try:
            found: list[_T] = []
            for ident, frame in frames.items():
                if ident != get_ident():
                    found.append(look(ident, frame))
            return found
        finally:
            frames.clear()
            frame = None


def _lines(frame: FrameType | None, ownership: Ownership) -> _Steps:
    """File, line and function of each frame, innermost first, and the real path where it is the user's."""
    steps: _Steps = []
    while frame is not None and len(steps) < 300:
        code = frame.f_code
        steps.append((code.co_filename, line_of(frame), code.co_name, ownership.user_file(frame)))
        frame = frame.f_back
    return steps


def _thread(
    ident: int, frame: FrameType, name: str, native: int | None, main: bool, ownership: Ownership
) -> ThreadStack:
    joins, awaits = _awaited(frame)
    steps = _lines(frame, ownership)
    own = own_part((file, function) for file, _, function, _ in steps)
    return ThreadStack(
        name=name,
        ident=ident,
        main=main,
        native_id=native,
        frames=_frames(steps[:own]),
        forked_at=next((_frame(*step) for step in steps[own:] if step[3] is not None), None),
        locks=_locks(frame, ownership),
        joins=joins,
        awaits=awaits,
        polls=polled(frame, steps[0][3], steps[0][1]) if steps else None,
    )


def _frames(steps: _Steps) -> list[Frame]:
    """The innermost frames of all and the user's above them, the innermost last."""
    kept: list[Frame] = []
    outer = 0
    for depth, (file, line, function, mine) in enumerate(steps):
        if mine is None and depth >= INNERMOST and not file.endswith(POOLS):
            continue
        outer += mine is not None and depth >= INNERMOST
        if outer > OUTER_USER:
            break
        kept.append(_frame(file, line, function, mine))
    kept.reverse()
    return kept


def _frame(file: str, line: int, function: str, mine: str | None) -> Frame:
    if mine is None:
        return Frame(file=file, line=line, function=function)
    source = live_source.source(mine)
    first, last = source.span(line) if source is not None else (line, line)
    text = source.text(line, line).strip()[:LONGEST_LINE] if source is not None else ""
    return Frame(file=mine, line=first, end_line=last, function=function, user=True, source=text)


def _names() -> dict[int, tuple[str, int | None]]:
    """Name and number of the kernel's of each thread that `threading` knows."""
    threading: Any = sys.modules.get("threading")
    found: dict[int, tuple[str, int | None]] = {}
    for ident, thread in dict(getattr(threading, "_active", {})).items():
        own = lookup.instance_dict(thread)
        name, native = own.get("_name"), own.get("_native_id")
        found[ident] = (
            name[:80] if type(name) is str else f"native-{ident}",
            native if type(native) is int else None,
        )
    return found


def _main() -> int:
    threading: Any = sys.modules.get("threading")
    main = getattr(threading, "_main_thread", None)
    ident = lookup.instance_dict(main).get("_ident") if main is not None else None
    return ident if type(ident) is int else 0


def _awaited(frame: FrameType | None) -> tuple[int | None, int | None]:
    """The thread and the process whose end a thread waits for, by the object that its innermost frames work on."""
    for _ in range(INNERMOST):
        if frame is None:
            break
        file, function = frame.f_code.co_filename, frame.f_code.co_name
        if file.endswith("threading.py") and function in ("join", "_wait_for_tstate_lock", "_join_os_thread"):
            ident = lookup.instance_dict(_self(frame)).get("_ident")
            return (ident if type(ident) is int else None), None
        if file.endswith("/subprocess.py") or "/multiprocessing/popen_" in file:
            pid = lookup.instance_dict(_self(frame)).get("pid")
            if type(pid) is int:
                return None, pid
        frame = frame.f_back
    return None, None


def _self(frame: FrameType) -> Any:
    return dict(frame_variables.variables(frame)).get("self")


def _locks(frame: FrameType | None, ownership: Ownership) -> list[LockUse]:
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
    found = python_output.LOCK_OWNER.search(repr(lock)) if type(lock) is RLock else None
    return int(found[1]) if found and found[1] != "0" else None


def _is_taken(lock: Any) -> bool:
    return bool(lock.locked()) if type(lock) is LockType else _owner(lock) is not None
