"""The sampler: a thread that notes, 20 times a second, which line of the user's code the main thread is at, and while
memory grows and that one only waits, the lines of other threads, such as those in which a data set calls a generator.

Runs in the user's process. Invariant: the module `threading` does not know the thread, so `enumerate` and
`active_count` answer as without us; it keeps no frame between two samples; it never delays the exit.

From Python 3.12 on `os.fork()` warns when the process has a second OS thread, and looks after all fork hooks ran. There
the thread is ended before each fork and begins again at the next sign of life at least `PERIOD_S` later.
"""

from __future__ import annotations

import _thread
import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from whydied.inside import journal
from whydied.inside.guest import garbage_collection, guard
from whydied.inside.guest.guard import guarded
from whydied.inside.guest.standstill import beside_others
from whydied.inside.guest.user_frames import LARGEST_WALK, Line, Step, line_of, owned_lines, plain_frame
from whydied.inside.sampling import kept_sources, memory_watch
from whydied.records import LineSampled

PERIOD_S = 0.05
HEARTBEAT_NS = 1_000_000_000
MOVED_BYTES = 4 << 20
"""A line is recorded again when memory moved by more than this since its last record."""
LARGEST_THREADS = 8
LARGEST_OTHERS = 3
STEP_NS = 5_000_000
Mark = tuple[int, int, int]
"""The code and the instruction that a thread is at, and the processor time that it has had, in units of `STEP_NS`. We
get the interpreter where another thread gives it up, which may be at the same instruction each time."""
# All but those that a thread's own fault raises, and the two that the C library keeps for itself.
_SIGNALS = frozenset({*range(1, 32), *range(34, 65)}) - {4, 5, 6, 7, 8, 9, 11, 19, 31}
LONGEST_FORK_WAIT_S = 0.2
FORK_WARNS = sys.version_info >= (3, 12)


class Sampler:
    def __init__(self, main_thread: int, chores: Callable[[], None]) -> None:
        self._main = main_thread
        self._chores = chores
        self._stop = _thread.allocate_lock()
        self._running = False
        self._ended = False
        self._handle: Any = None
        self._native = 0
        self._last: tuple[tuple[Line, ...], Line | None] | None = None
        self._last_ns = 0
        self._last_rss = 0
        self._others: dict[int, Mark] = {}
        self._parked_ns = 0
        self._busy = _thread.allocate_lock()
        """Held while the thread works: a fork waits a little for the end of that."""
        self._forking = 0

    @guarded("sampler.start")
    def start(self) -> None:
        if not getattr(sys, "_is_gil_enabled", lambda: True)():
            guard.limited(
                "sampler", "this Python has no interpreter lock, and reading another thread's stack is unsafe"
            )
            return
        self._stop = _thread.allocate_lock()
        self._stop.acquire()
        self._running = True
        self._native = 0
        # The thread inherits the mask: a signal to the process is the main thread's, whose line it is to tell.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            begin = getattr(_thread, "start_joinable_thread", None)
            if begin is not None:
                self._handle = begin(self._loop, daemon=True)
            else:
                _thread.start_new_thread(self._loop, ())
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def end(self) -> None:
        """The interpreter ends: no thread can begin any more."""
        self._ended = True
        self.stop()

    def stop(self) -> None:
        """Tell the thread to end; it does so within a sample."""
        if self._running:
            self._running = False
            if self._stop.locked():
                self._stop.release()

    def before_fork(self) -> None:
        try:
            if FORK_WARNS and self._running:
                self.stop()
                self._join()
            # A fork in the middle of an import would leave the child with a module's lock that nobody gives back.
            if self._busy.acquire(timeout=LONGEST_FORK_WAIT_S):
                self._forking = _thread.get_ident()
        except Exception as error:
            guard.swallowed("sampler.before_fork", error)

    @guarded("sampler.fork")
    def after_fork_in_parent(self) -> None:
        if self._forking == _thread.get_ident():
            self._forking = 0
            self._busy.release()
        if not self._running:
            self._park()

    @guarded("sampler.fork")
    def after_fork_in_child(self, goes_on: bool = True) -> None:
        """At once: only the parent is warned of."""
        self._main = _thread.get_ident()
        self._running = False
        self._last = None
        self._busy = _thread.allocate_lock()
        self._forking = 0
        self._ended = not goes_on
        if goes_on:
            self.start()

    def _park(self) -> None:
        self._parked_ns = time.monotonic_ns()
        if self._unpark not in gc.callbacks:
            gc.callbacks.append(self._unpark)
        owner = journal.current()
        if owner is not None:
            owner.after_write = self._unpark

    def _unpark(self, phase: str = "", info: Any = None) -> None:
        if self._running or self._ended or time.monotonic_ns() - self._parked_ns < PERIOD_S * 1e9:
            return
        if self._unpark in gc.callbacks:
            gc.callbacks.remove(self._unpark)
        owner = journal.current()
        if owner is not None:
            owner.after_write = None
        self.start()

    def _join(self) -> None:
        """Wait until the kernel, too, has forgotten the thread."""
        if self._handle is not None:
            self._handle.join(0.5)
            return
        deadline = time.monotonic() + 0.5
        # The thread may not even have begun; its number is known once it has.
        while time.monotonic() < deadline:
            if self._native and not os.path.exists(f"/proc/self/task/{self._native}"):
                return
            time.sleep(0.0002)

    def _loop(self) -> None:
        self._native = _thread.get_native_id()
        stop = self._stop
        beats = 0
        wait_s = PERIOD_S
        due_s = 0.0
        while not stop.acquire(timeout=wait_s):
            with self._busy:
                # First, because it may have to keep the interpreter: see `memory_watch`.
                wait_s = min(PERIOD_S, memory_watch.tick() or PERIOD_S)
                now_s = time.monotonic()
                if now_s < due_s:
                    continue
                due_s = now_s + PERIOD_S * 0.9
                self._sample()
                if kept_sources.is_wanted():
                    kept_sources.look(kept_sources.LONGEST_LOOK_S)
                beats += 1
                if beats % 20 == 1:
                    self._chores()

    @guarded("sampler.sample")
    def _sample(self) -> None:
        owner = journal.current()
        if owner is None or owner.quiet:
            return
        owner.find_main()
        if beside_others():
            guard.limited("sampler", "the program may have sub-interpreters, beside which no stack can be read safely")
            return
        steps = _steps(self._main)
        if not steps:
            return
        lines = owned_lines(steps, owner.ownership)
        inner: Line | None = steps[0][:3]
        if lines and inner is not None and inner[1:] == lines[-1][1:]:
            inner = None
        now = time.monotonic_ns()
        memory = memory_watch.last()
        if abs((memory.rss_bytes or 0) - self._last_rss) <= MOVED_BYTES:
            if (lines, inner) == self._last and now - self._last_ns < HEARTBEAT_NS:
                return
            if lines == (self._last or ((), None))[0] and now - self._last_ns < HEARTBEAT_NS // 5:
                return
        waits = (lines, inner) == self._last and (memory.rss_bytes or 0) > self._last_rss
        self._last, self._last_ns, self._last_rss = (lines, inner), now, memory.rss_bytes or 0
        owner.write(
            LineSampled(
                frames=[plain_frame(line, True) for line in lines],
                innermost=plain_frame(inner, False) if inner is not None else None,
                rss_bytes=memory.rss_bytes,
                allocator_bytes=memory.allocator_bytes,
            )
        )
        if waits:
            self._sample_others(owner, memory.rss_bytes)

    def _sample_others(self, owner: journal.Journal, rss_bytes: int | None) -> None:
        """Those that have moved since they were last looked at: one that waits is not at work."""
        seen = _others(self._main)
        moved = [thread for thread, (mark, _) in seen.items() if self._others.get(thread, mark) != mark]
        self._others = {thread: mark for thread, (mark, _) in seen.items()}
        for thread in moved[:LARGEST_OTHERS]:
            lines = owned_lines(seen[thread][1], owner.ownership)
            if lines:
                frames = [plain_frame(line, True) for line in lines]
                owner.write(LineSampled(frames=frames, thread=str(thread), rss_bytes=rss_bytes))


def _others(main: int) -> dict[int, tuple[Mark, list[Step]]]:
    """The stacks of all threads but the main one and this, as `_steps` has them, each with where it is."""
    found: dict[int, tuple[Mark, list[Step]]] = {}
    with garbage_collection.held_off():
        try:
            frames = {} if beside_others() else sys._current_frames()
            for thread in [one for one in frames if one not in (main, _thread.get_ident())][:LARGEST_THREADS]:
                found[thread] = (_mark(thread, frames[thread]), _walked(frames[thread]))
            return found
        finally:
            frames = {}


def _mark(thread: int, frame: FrameType) -> Mark:
    """The thread lives as long as we hold the interpreter, without which it cannot take its frames down; of one that
    does not, the clock must not be asked."""
    spent = time.clock_gettime_ns(time.pthread_getcpuclockid(thread)) if hasattr(time, "pthread_getcpuclockid") else 0
    return id(frame.f_code), frame.f_lasti, spent // STEP_NS


def _steps(thread: int) -> list[Step]:
    """The stack of another thread, innermost first, as plain values.

    Python 3.11 makes frame objects when they are asked for, and a collection in the middle runs finalisers that may
    give up the interpreter lock: the other thread then leaves the very frame that is being made, and the process
    crashes. So no collection meanwhile, nothing that waits, and no frame is held at the end, which would free the
    user's variables in our thread.
    """
    with garbage_collection.held_off():
        try:
            frame = None if beside_others() else sys._current_frames().get(thread)
            return _walked(frame)
        finally:
            frame = None


def _walked(frame: FrameType | None) -> list[Step]:
    steps: list[Step] = []
    while frame is not None and len(steps) < LARGEST_WALK:
        code = frame.f_code
        main = frame.f_globals.get("__name__") == "__main__"
        steps.append((code.co_filename, line_of(frame), code.co_name, main))
        frame = frame.f_back
    return steps
