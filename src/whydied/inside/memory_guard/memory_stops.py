"""MemoryError instead of death, for whatever part of the program it was asked for; runs in the user's process, in the
sampler's thread and, where it raises, in the main one.

Invariant: off unless it was asked for. It raises between two bytecodes of the ward's own stack and nowhere else, with
no frame of ours in the traceback; where it cannot, it tries again at the next look. Each scope is stopped once.

What a native call takes in one go cannot be interrupted. So while the guard is on, the kernel is told to refuse what
would not fit (`RLIMIT_DATA`): the allocation fails, and the library raises MemoryError by itself.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import resource
import signal
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any, NamedTuple

from whydied.inside import journal
from whydied.inside.guest.guard import guarded
from whydied.inside.memory_guard.held_words import described, largest
from whydied.inside.process import process_memory
from whydied.inside.sampling import memory_watch
from whydied.records import MemoryWarned

WARN_SHARE = 0.92
LEAST_GROWTH_BYTES = 32 << 20
"""A cell that took no more than this is not the one to stop: it may be the one that frees."""
STACK_BYTES = 8 << 20
"""A thread's stack counts whole from its start, and TensorFlow starts some for each core."""
_SIGNAL: Any = int(signal.SIGRTMAX) - 7
"""No signal is ever sent: this is the number under which Python calls us between two bytecodes of the main thread."""
_LARGEST_WALK = 5000


class GuardedMemoryError(MemoryError):
    """The memory guard stopped a cell before the kernel would have killed the process."""


class Scope(NamedTuple):
    """What runs now: `mark` tells it from the next one, `number` is that of a cell."""

    mark: int
    number: int
    before_bytes: int


class Ward(NamedTuple):
    """Who is guarded. `running` is the scope, `owns` says of a frame whether it is code of the ward's; `save` is done
    before a stop and gives a path or ""; `words` make the message of bytes used and limit, what holds them, and that
    path."""

    running: Callable[[], Scope | None]
    owns: Callable[[FrameType], bool]
    words: Callable[[int, int, str, str], str]
    error: type[MemoryError]
    save: Callable[[], str] = str


class State:
    ward: Ward | None = None
    on = False
    stopped = 0
    """The mark of the scope that was stopped last."""
    rss_bytes = 0
    limit_bytes = 0
    former: tuple[int, int] | None = None


def turn(on: bool, ward: Ward) -> None:
    """The guard on or off. In the main thread."""
    State.on, State.ward = on, ward
    if on:
        if signal.getsignal(_SIGNAL) in (signal.SIG_DFL, None):
            inner: Any = getattr(signal, "_signal", signal)
            # Past our own hook: the handler is none that the program set.
            getattr(inner.signal, "__wrapped__", inner.signal)(_SIGNAL, _Stop)
        State.former = State.former or resource.getrlimit(resource.RLIMIT_DATA)
    elif State.former is not None:
        lift()
        State.former = None


def look(rss: int, limit: int) -> bool:
    """At each look at the memory: whether the scope that runs is about to be stopped."""
    if not State.on or State.ward is None:
        return False
    _refuse_beyond(limit - rss)
    scope = State.ward.running() if rss >= WARN_SHARE * limit else None
    if scope is None or rss - scope.before_bytes <= LEAST_GROWTH_BYTES or State.stopped == scope.mark:
        return False
    State.rss_bytes, State.limit_bytes = rss, limit
    _thread.interrupt_main(_SIGNAL)
    return True


def lift() -> None:
    """Let the kernel refuse nothing more than before us, until the next look."""
    if State.former is not None:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_DATA, State.former)


def _refuse_beyond(room: int) -> None:
    """Let the kernel refuse what would not fit any more."""
    former = State.former
    data = process_memory.data_bytes()
    if former is None or data is None:
        return
    wanted = data + max(room, LEAST_GROWTH_BYTES) + STACK_BYTES * (os.cpu_count() or 1)
    soft = wanted if former[0] == resource.RLIM_INFINITY else min(wanted, former[0])
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (soft, former[1]))


class _Stop:
    """What Python calls in the main thread: our `__new__` decides, and gives way to a function of Python's own that
    raises, so that the traceback ends in the user's code. See `frameless.Final`."""

    def __new__(cls, number: int, frame: FrameType | None) -> Any:
        text = _stopping(frame)
        if not text or State.ward is None:
            return None
        cls.__init__ = staticmethod(partial(_raiser(), State.ward.error, text))  # type: ignore[method-assign]
        return object.__new__(cls)

    def __init__(self, number: int, frame: FrameType | None) -> None:
        pass


@guarded("memory_stops.stop")
def _stopping(frame: FrameType | None) -> str:
    """The message to stop with, "" where it must not be stopped here."""
    ward = State.ward
    scope = ward.running() if ward is not None else None
    if ward is None or scope is None or not State.on or State.stopped == scope.mark or not _within(frame, ward):
        return ""
    State.stopped = scope.mark
    rss, limit = State.rss_bytes, State.limit_bytes
    saved = ward.save()
    journal.write(MemoryWarned(number=scope.number, how="guard", rss_bytes=rss, limit_bytes=limit, saved=saved))
    kept = "; ".join(described(group) for group in largest(memory_watch.last_census())[:2])
    return ward.words(rss, limit, f" ({kept})" if kept else "", saved)


def _within(frame: FrameType | None, ward: Ward) -> bool:
    """Whether the main thread runs code that the ward called, and none of ours."""
    for _ in range(_LARGEST_WALK):
        if frame is None:
            return False
        name = frame.f_globals.get("__name__")
        if isinstance(name, str) and name.startswith("whydied."):
            return False
        if ward.owns(frame):
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
