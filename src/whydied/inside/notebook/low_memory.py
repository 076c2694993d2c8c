"""A word in the running cell before the memory is gone, and on request MemoryError instead of death; runs in the user's
process, in the sampler's thread and, where it raises, in the main one.

Invariant: nothing is said or raised outside a cell, and only once a cell. The guard is off unless it was asked
for. It raises between two bytecodes of the cell's own stack and nowhere else, with no frame of ours in the traceback;
where it cannot, it tries again at the next look.

What a native call takes in one go cannot be interrupted. So while the guard is on, the kernel is told to refuse what
would not fit (`RLIMIT_DATA`): the allocation fails, and the library raises MemoryError by itself.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import resource
import signal
from functools import partial
from types import FrameType
from typing import Any

from whydied import words
from whydied.inside import journal
from whydied.inside.guest.guard import guarded
from whydied.inside.notebook import cell_code, cell_notes, notebook_state
from whydied.inside.process import process_memory
from whydied.inside.sampling import memory_watch
from whydied.records import CensusTaken, Holder, MemoryWarned, ObjectGroup

WARN_SHARE = 0.92
LEAST_GROWTH_BYTES = 32 << 20
"""A cell that took no more than this is not the one to stop: it may be the one that frees."""
MORE = 0.01
"""A later cell says it again only where this part of the limit was taken since."""
FRESH = 0.9
"""A census at this part of the memory is good enough."""
LISTED = 4
OPTION = "memory-guard"
"""Among the words of `WHYDIED_OPTIONS`: the guard is on from the start."""
_SIGNAL: Any = int(signal.SIGRTMAX) - 7
"""No signal is ever sent: this is the number under which Python calls us between two bytecodes of the main thread."""


class GuardedMemoryError(MemoryError):
    """The memory guard stopped a cell before the kernel would have killed the process."""


class State:
    """What was said so far. `warned` and `stopped` count cells, see `notebook_state.started_count`."""

    on = False
    quiet = False
    warned = 0
    stopped = 0
    told_bytes = 0
    rss_bytes = 0
    limit_bytes = 0
    former: tuple[int, int] | None = None


@guarded("low_memory.begin")
def begin() -> None:
    """The first cells are about to come."""
    memory_watch.notice = noticed
    memory_watch.loaded_with_census = ["whydied.inside.notebook.notebook_variables"]
    options = os.environ.get("WHYDIED_OPTIONS", "").split(",")
    State.quiet = "no-memory-warning" in options
    if OPTION in options:
        turn(True)


def turn(on: bool) -> None:
    """The guard on or off. In the main thread."""
    State.on = on
    if on:
        if signal.getsignal(_SIGNAL) in (signal.SIG_DFL, None):
            inner: Any = getattr(signal, "_signal", signal)
            # Past our own hook: the handler is none that the program set.
            getattr(inner.signal, "__wrapped__", inner.signal)(_SIGNAL, _Stop)
        State.former = State.former or resource.getrlimit(resource.RLIMIT_DATA)
    elif State.former is not None:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_DATA, State.former)
        State.former = None


@guarded("low_memory.noticed")
def noticed(rss: int, limit: int, looked_around: bool) -> None:
    """At each look at the memory."""
    if State.on and looked_around:
        _refuse_beyond(limit - rss)
    if rss < WARN_SHARE * limit:
        State.told_bytes = 0
        return
    cell = notebook_state.running()
    if cell is None:
        return
    State.rss_bytes, State.limit_bytes = rss, limit
    if State.on and rss - cell.before_bytes > LEAST_GROWTH_BYTES and State.stopped != notebook_state.started_count:
        _thread.interrupt_main(_SIGNAL)
    elif State.warned == notebook_state.started_count:
        State.told_bytes = max(State.told_bytes, rss)
    elif rss > State.told_bytes + MORE * limit and not State.quiet:
        State.warned, State.told_bytes = notebook_state.started_count, rss
        journal.write(MemoryWarned(number=cell.number, how="warning", rss_bytes=rss, limit_bytes=limit))
        cell_notes.say(warning(rss, limit, _census(rss, limit)))


def _census(rss: int, limit: int) -> CensusTaken | None:
    """What is held now: the last census, or where that is old another one, from the names alone."""
    known = memory_watch.last_census()
    if known is not None and known.rss_bytes >= FRESH * rss:
        return known
    from whydied.inside.census import census

    plan = census.Plan(trigger="low memory", rss_bytes=rss, seconds=census.WALK_S, room_bytes=limit - rss)
    try:
        taken = census.survey(plan)
    except MemoryError:
        return known
    memory_watch.current().last_census = taken
    journal.write(taken)
    return taken


def _refuse_beyond(room: int) -> None:
    """Let the kernel refuse what would not fit any more."""
    former = State.former
    data = process_memory.data_bytes()
    if former is None or data is None:
        return
    wanted = data + max(room, LEAST_GROWTH_BYTES)
    soft = wanted if former[0] == resource.RLIM_INFINITY else min(wanted, former[0])
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (soft, former[1]))


def warning(rss: int, limit: int, census: CensusTaken | None) -> str:
    lines = [f"whydied: memory is almost exhausted: {words.size(rss)} of {words.size(limit)} used."]
    lines += [f"  {described(group)}" for group in largest(census)]
    lines.append("  Interrupt the cell, or free something: %whydied top shows what is large.")
    return "\n".join(lines) + "\n"


def largest(census: CensusTaken | None) -> list[ObjectGroup]:
    groups = [group for group in census.groups if group.size_bytes >= 1 << 20] if census is not None else []
    return sorted(groups, key=lambda group: -group.size_bytes)[:LISTED]


def described(group: ObjectGroup) -> str:
    """`512 MiB in 4 arrays (4000, 4000) float64: x, Out[3]`"""
    names = list(dict.fromkeys(_held(holder) for holder in group.holders if holder.path))
    held = ", ".join(names[:LISTED]) + (f" and {len(names) - LISTED} more" if len(names) > LISTED else "")
    shape = f" ({', '.join(map(str, group.shape))})" if group.shape is not None else ""
    text = (
        f"{words.size(group.size_bytes)} in {words.count(group.count, group.kind)}{shape} {group.dtype or ''}".rstrip()
    )
    return f"{text}: {held}" if held else text


def _held(holder: Holder) -> str:
    return f"{holder.path} (and {', '.join(holder.also)})" if holder.also else holder.path


class _Stop:
    """What Python calls in the main thread: our `__new__` decides, and gives way to a function of Python's own that
    raises, so that the traceback ends in the cell. See `frameless.Final`."""

    def __new__(cls, number: int, frame: FrameType | None) -> Any:
        text = _stopping(frame)
        if not text:
            return None
        cls.__init__ = staticmethod(partial(_raiser(), GuardedMemoryError, text))  # type: ignore[method-assign]
        return object.__new__(cls)

    def __init__(self, number: int, frame: FrameType | None) -> None:
        pass


@guarded("low_memory.stop")
def _stopping(frame: FrameType | None) -> str:
    """The message to stop the cell with, "" where it must not be stopped here."""
    cell = notebook_state.running()
    if cell is None or not State.on or State.stopped == notebook_state.started_count or not _in_cell(frame):
        return ""
    State.stopped = State.warned = notebook_state.started_count
    rss, limit = State.rss_bytes, State.limit_bytes
    journal.write(MemoryWarned(number=cell.number, how="guard", rss_bytes=rss, limit_bytes=limit))
    kept = "; ".join(described(group) for group in largest(memory_watch.last_census())[:2])
    return (
        f"whydied's memory guard stopped this cell at {words.size(rss)} of {words.size(limit)}"
        f"{f' ({kept})' if kept else ''}; the notebook's variables are kept"
    )


def _in_cell(frame: FrameType | None) -> bool:
    """Whether the main thread runs code that a cell called, and none of ours."""
    owner = journal.current()
    for _ in range(5000):
        if frame is None or owner is None:
            return False
        name = frame.f_globals.get("__name__")
        if isinstance(name, str) and name.startswith("whydied."):
            return False
        if cell_code.of(owner.ownership.resolve(frame.f_code.co_filename)) is not None:
            return True
        frame = frame.f_back
    return False


def _raiser() -> Any:
    """PyErr_SetObject, which leaves no frame; the two words that a handler gets are passed along and not looked at."""
    import ctypes

    function = ctypes.PyDLL(None).PyErr_SetObject
    function.argtypes = [ctypes.py_object, ctypes.py_object, ctypes.c_int, ctypes.py_object]
    function.restype = None
    return function
