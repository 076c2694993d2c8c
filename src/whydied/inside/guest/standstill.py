"""The program's main thread stands still between two of its byte codes while we look at its objects; runs in the user's
process.

Invariant: whoever looks at an object refers to it, and some code asks whether somebody does (`ndarray.resize`
refuses, with an error that the program would never have got). So the main thread waits until nothing is held any more,
and never longer than `LONGEST_S`. It waits in C, through a call that the interpreter makes for us, in which no byte
code runs: a signal ends the wait and its handler runs after it, in the program's own frame. Where the main thread is in
C code when we come, nobody waits for it; it stands still if it comes back too early. It is left alone inside code of
ours, which may have a lock that the look needs.
"""

from __future__ import annotations

import ctypes
import sys
import time
from _thread import allocate_lock, get_ident
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from operator import is_, methodcaller
from typing import Any

from whydied.inside.guest import garbage_collection

INTERPRETERS_HAVE_LOCKS = sys.version_info >= (3, 12)
LONGEST_S = 1.0
STOPS_WITHIN_S = 0.005
"""Who has not come to its next byte code by then is in C code."""
_YIELD_S = 0.0001
_SEMAPHORE_BYTES = 64
"""More than any Linux has."""


class _Until(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _Gate:
    """A semaphore in the main thread's way: 1 is open, 0 is shut."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None)
        self._semaphore = ctypes.create_string_buffer(_SEMAPHORE_BYTES)
        self._until = _Until()
        self._post: Any = library["sem_post"]
        # Kept hold of the interpreter: nobody comes to the gate meanwhile.
        self._try: Any = ctypes.PyDLL(None)["sem_trywait"]
        wait: Any = library["sem_timedwait"]
        wait.restype = None
        library["sem_init"](self._semaphore, 0, 0)
        self._asked = 0
        self._begun: list[None] = []
        self._answered: list[None] = []
        # All in C: note that it begins, wait, note the end, and answer 0, the first result that `filter` lets through.
        steps = cycle(
            (
                partial(self._begun.append, None),
                partial(wait, self._semaphore, ctypes.byref(self._until)),
                partial(self._answered.append, None),
                int,
            )
        )
        answer = partial(next, filter(partial(is_, 0), map(methodcaller("__call__"), steps)))
        self._call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(answer)
        self._ask: Any = ctypes.pythonapi["Py_AddPendingCall"]
        self._ask.argtypes = (ctypes.c_void_p, ctypes.c_void_p)

    def shut(self) -> None:
        # Who was let go a moment ago has to be out of the gate.
        _wait_while(lambda: len(self._answered) < len(self._begun))
        while self._try(self._semaphore) == 0:
            pass
        until = time.time() + LONGEST_S
        self._until.seconds, self._until.nanoseconds = int(until), int(until % 1 * 1e9)
        if self._asked == len(self._answered) and self._ask(ctypes.cast(self._call, ctypes.c_void_p), None) == 0:
            self._asked += 1
        # The main thread gets the interpreter, and gives it back where it stands still.
        _wait_while(lambda: len(self._begun) < self._asked)

    def open(self) -> None:
        self._post(self._semaphore)


def _wait_while(unmet: Callable[[], bool]) -> None:
    begun = time.monotonic()
    while unmet() and time.monotonic() - begun < STOPS_WITHIN_S:
        time.sleep(_YIELD_S)


_gate: _Gate | None = None
_looking = allocate_lock()


@contextmanager
def of_main_thread() -> Iterator[None]:
    """Only one thread at a time makes the main thread wait; another that looks meanwhile does without."""
    gate = _made() if _may_stop() and _looking.acquire(blocking=False) else None
    if gate is None:
        yield
        return
    try:
        gate.shut()
        yield
    finally:
        gate.open()
        _looking.release()


def after_fork_in_child() -> None:
    """The thread that looked is not there any more."""
    global _looking
    _looking = allocate_lock()
    if _gate is not None:
        _gate.open()


def _made() -> _Gate:
    global _gate
    if _gate is None:
        _gate = _Gate()
    return _gate


def main_thread() -> int:
    """Not by importing `threading`, which takes the thread that imports it first for the main one."""
    threading: Any = sys.modules.get("threading")
    main = threading.main_thread().ident if threading is not None else None
    return main if isinstance(main, int) else get_ident()


def beside_others() -> bool:
    """Whether there may be interpreters with a lock of their own. They run on while `_current_frames` looks at their
    frames too, and the process crashes."""
    return INTERPRETERS_HAVE_LOCKS and ("_interpreters" in sys.modules or "_xxsubinterpreters" in sys.modules)


def _may_stop() -> bool:
    main = main_thread()
    if not sys.platform.startswith("linux") or main == get_ident() or beside_others():
        return False
    # As for a sample of the stack: nothing may be collected while frames are held.
    with garbage_collection.held_off():
        frame = sys._current_frames().get(main)
        try:
            while frame is not None:
                if str(frame.f_globals.get("__name__")).startswith("whydied."):
                    return False
                frame = frame.f_back
        finally:
            frame = None
    return True
