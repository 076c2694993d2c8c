"""The journal of this process: the one place through which the recorder writes; runs in the user's process.

Invariant: `write` never raises an Exception of ours. A write that interrupts another one of the same thread (a
signal handler, a finaliser that the garbage collector ran) waits in line, because two frames must not share a place in
the stream. A lock that another thread does not give back costs the program a second, once; a thread that is interrupted
gives it back. A stream that cannot grow any more is left in peace for a second and says so once.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import RLock, allocate_lock, get_ident, start_new_thread
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import FrameType
from typing import TYPE_CHECKING, Any

from whydied.inside.guest import guard
from whydied.inside.guest.ownership import Ownership
from whydied.inside.guest.user_frames import user_frames
from whydied.records import Frame, MainFound, Record
from whydied.stream import Stream

if TYPE_CHECKING:
    from pathlib import Path

_PAUSE_NS = 1_000_000_000
LONGEST_ANSWER_S = 2.0


class Journal:
    def __init__(self, run: str) -> None:
        self.run = run
        self.began_s = time.monotonic()
        self.ownership = Ownership(_start_directory())
        self.after_write: Callable[[], None] | None = None
        self.quiet = False
        """Whether the main thread runs code of ours, which is not to be sampled."""
        self.opening: Callable[[], AbstractContextManager[None]] = nullcontext
        """Surrounds the opening of a file: see `held_files`."""
        self._main_known = False
        self.reopen()

    def reopen(self) -> None:
        """A stream of this process's own, with locks that no thread of a parent holds."""
        self.pid = os.getpid()
        directory: Path | str = os.path.join(self.run, "streams")
        name = f"process-{self.pid}-{time.monotonic_ns():x}"
        self._stream = Stream(directory, name, opening=lambda: self.opening())  # type: ignore[arg-type]
        # One that knows who holds it: an interrupt can come between taking it and knowing that we did.
        self._lock: Any = RLock()
        self._patient = True
        self._writer = 0
        self._waiting: list[Record] = []
        self._paused_until = {True: 0, False: 0}

    def fall_silent(self) -> None:
        """In a copy of this process of which nothing is to be written: what comes waits for ever."""
        self.pid, self._writer = os.getpid(), get_ident()

    def write(self, record: Record) -> None:
        me = get_ident()
        if os.getpid() != self.pid:
            # A fork that told nobody: the parent's stream is mapped here too, and is not ours to write to.
            self.reopen()
        if self._writer == me:
            if len(self._waiting) < 1000:
                self._waiting.append(record)
            return
        lock = self._lock
        try:
            # A thread that died inside must not stop the program: without the lock we do not write.
            self._patient = lock.acquire(timeout=1.0 if self._patient else 0)
            if not self._patient:
                return
            self._writer = me
            self._put(record)
            while self._waiting:
                self._put(self._waiting.pop(0))
        finally:
            if lock._is_owned():
                self._writer = 0
                while lock._is_owned():
                    lock.release()
        after = self.after_write
        if after is not None:
            after()

    def _put(self, record: Record) -> None:
        lane = record.IMPORTANT
        if self._paused_until[lane] and time.monotonic_ns() < self._paused_until[lane]:
            return
        try:
            self._stream.write(record)
        except OSError as error:
            if guard.is_the_users(error):
                raise
            self._paused_until[lane] = time.monotonic_ns() + _PAUSE_NS
            guard.limited("recording", f"the stream cannot grow: {error.strerror or error}")
        except Exception as error:
            if guard.is_the_users(error):
                raise
            guard.swallowed("journal.write", error)

    def answers(self) -> bool:
        """Whether the run directory does. On a dead file server, whoever touches it waits for ever: so a thread of its
        own does, and is left behind if that takes too long."""
        answered = allocate_lock()
        answered.acquire()

        def ask() -> None:
            try:
                # What no cache can answer, and takes no descriptor.
                os.utime(self.run)
            except OSError:
                pass
            finally:
                answered.release()

        try:
            start_new_thread(ask, ())
        except RuntimeError:
            # The interpreter is about to end, or there may be no more threads.
            return True
        return answered.acquire(timeout=LONGEST_ANSWER_S)

    def frames(self, frame: FrameType | None) -> list[Frame]:
        """The user's frames of a stack."""
        self.find_main()
        return user_frames(frame, self.ownership)

    def find_main(self, *, at_end: bool = False) -> None:
        """Record the file of `__main__` as soon as the interpreter knows it: it does not while `site` runs, and no
        longer does at the end, where that of a program comes that took no longer than a sample."""
        if self._main_known:
            return
        module = sys.modules.get("__main__")
        file = getattr(module, "__file__", None) or (self._script() if at_end else None)
        spec = getattr(module, "__spec__", None)
        if module is None or (file is None and "-c" not in sys.orig_argv):
            return
        self._main_known = True
        self.ownership.main_found(module)
        if isinstance(file, str):
            self.ownership.owned(file, True)
        self.write(
            MainFound(
                file=self.ownership.resolve(file) if isinstance(file, str) else None,
                module=getattr(spec, "name", None),
            )
        )

    def _script(self) -> str | None:
        """The script of the command line: `argv` begins with it, unless the program changed that."""
        first = (getattr(sys, "argv", None) or [""])[0]
        is_given = isinstance(first, str) and first != "" and first in sys.orig_argv[1:]
        return first if is_given and os.path.isfile(self.ownership.resolve(first)) else None


_journal: Journal | None = None
listeners: dict[type[Record], Callable[[Any], None]] = {}
"""Who is told of a record of a kind as soon as it is written."""
copying = False
"""Whether a fork that begins now is a copy of ours, of which nothing is to be recorded: see `trials.forked`."""
abandoned = False
"""Whether the run directory stopped answering, and is not to be touched any more."""


def open_journal(run: str) -> Journal:
    global _journal
    _journal = Journal(run)
    guard.report_to(write)
    return _journal


def close() -> None:
    global _journal
    _journal = None
    guard.report_to(None)


def before_death() -> None:
    """Before the last words: a recording that nobody takes any more must not keep the program from its end."""
    global abandoned
    if _journal is not None and not _journal.answers():
        abandoned = True
        close()


def current() -> Journal | None:
    return _journal


def write(record: Record) -> None:
    if _journal is not None:
        _journal.write(record)
        if (listener := listeners.get(type(record))) is not None:
            listener(record)


def frames(frame: FrameType | None) -> list[Frame]:
    return _journal.frames(frame) if _journal is not None else []


def _start_directory() -> str:
    try:
        return os.getcwd()
    except OSError:
        return os.sep
