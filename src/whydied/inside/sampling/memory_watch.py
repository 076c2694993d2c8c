"""Watches this process's memory and decides when a census is taken; runs in the sampler's thread in the user's process.

Invariant: the censuses of a process take at most 1 % of its time, with an allowance at the start, so that short
programs get theirs. Half of the allowance is kept for the last milestones before death, because the last census is the
one that counts. The first thing that a tick does is to look at the memory, without giving up the interpreter: until
the thread that we interrupted has woken up, patience can still be asked of it (see `census.PATIENCE_S`).
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple

from whydied.inside import journal
from whydied.inside.guest import guard, standstill
from whydied.inside.guest.guard import guarded
from whydied.inside.process import cpu_allocator, descriptors, process_memory
from whydied.inside.process.process_memory import MemoryLimit
from whydied.records import CensusTaken

CALM_S = 0.05
HURRY_S = 0.008
FAST_BYTES_PER_S = 100 << 20
MILESTONES = (0.40, 0.60, 0.75, 0.85, 0.92)
LATE = 0.75
SHARE = 0.01
ALLOWANCE_S = 0.5
EARLY_ALLOWANCE_S = 0.25
LEAST_GROWTH_BYTES = 256 << 20
GROWTH_OF_FREE = 0.25
GROWTH_OF_OWN = 0.5
"""Growth by this part since the last census is looked at however much is free: somebody may stop a program that leaks
long before it reaches a limit."""
LEAST_RSS_BYTES = 64 << 20
REARM = 0.15
FIRST_COST_S = 0.05
RESERVE_S = 0.15
"""Of the allowance, what only the cheap walk from the user's names may take: a look at everything never does."""
LONGEST_S = 1.0

ENV_ALLOCATOR = "WHYDIED_ALLOCATOR"
"""Set to 0 by the user: TensorFlow's CPU allocator is left as it is, and does not count its bytes."""


class Memory(NamedTuple):
    """The last look. The allocator's number is None where it does not count."""

    rss_bytes: int | None = None
    allocator_bytes: int | None = None


class Watch:
    def __init__(self, limit: MemoryLimit | None = None) -> None:
        self._pid = os.getpid()
        self.limit = limit
        self._begun_s = time.monotonic()
        self._spent_s = 0.0
        self._walk_s = FIRST_COST_S
        self._passed: set[float] = set()
        self._base_bytes: int | None = None
        self._calm_bytes = 0
        self._census_bytes = 0
        self._rss = 0
        self._rss_s = self._begun_s
        self._rate = 0.0
        self._ceiling: int | None = None
        self._ceiling_s = 0.0
        self._peeked = False
        self._last = Memory()
        self.last_census: CensusTaken | None = None
        self.highest_bytes = 0
        """The most resident bytes that were seen since somebody set it."""

    @property
    def memory(self) -> Memory:
        return self._last

    def tick(self) -> float:
        """Look, take a census if it is time for one, and return how long to wait until the next tick."""
        rss = process_memory.rss_bytes()
        if rss is None:
            return CALM_S
        now = time.monotonic()
        self.highest_bytes = max(self.highest_bytes, rss)
        self._follow(rss, now)
        if self._ceiling_s == 0.0:
            self._look_around(rss, now)
        trigger = self._trigger(rss, now)
        if trigger is not None:
            self._take(trigger, rss, now)
        elif now - self._ceiling_s >= 1.0:
            self._look_around(rss, now)
        self._last = Memory(rss, cpu_allocator.read())
        if notice is not None and self._ceiling and not _importing():
            notice(rss, self._ceiling)
        return HURRY_S if self._rate > FAST_BYTES_PER_S else CALM_S

    def rebase(self) -> None:
        """TensorFlow's import is done: what it took is not the program's own, and what was there before it is."""
        grown = max(0, (process_memory.rss_bytes() or 0) - self._calm_bytes)
        self._base_bytes = (self._base_bytes or 0) + grown
        self._census_bytes = max(self._census_bytes, self._base_bytes)

    def _follow(self, rss: int, now: float) -> None:
        if self._base_bytes is None:
            self._base_bytes = self._census_bytes = rss
        if not _importing():
            self._calm_bytes = rss
        elapsed = now - self._rss_s
        if elapsed > 0:
            weight = min(1.0, elapsed / 0.1)
            self._rate += weight * ((rss - self._rss) / elapsed - self._rate)
        self._rss, self._rss_s = rss, now

    def _look_around(self, rss: int, now: float) -> None:
        """Once a second, and last, because reading files gives up the interpreter: how much memory there is, and
        whether somebody wants a census."""
        self._ceiling_s = now
        self.limit = self.limit or MemoryLimit()
        room = self.limit.room_bytes(rss)
        self._ceiling = rss + room if room is not None else None
        owner = journal.current()
        self._peeked = owner is not None and _requested(owner.run)

    def _trigger(self, rss: int, now: float) -> str | None:
        owner = journal.current()
        if owner is None or owner.quiet:
            return None
        if self._peeked:
            self._peeked = False
            return "peek"
        if not self._ceiling or rss < LEAST_RSS_BYTES or _importing():
            return None
        if _load_census() is None:
            return None
        fraction = rss / self._ceiling
        self._passed = {mark for mark in self._passed if fraction > mark - REARM}
        reached = max((mark for mark in MILESTONES if fraction >= mark and mark not in self._passed), default=None)
        if reached is not None and reached > max(self._passed, default=0.0):
            if not self._affordable(reached >= LATE, now):
                return None
            self._passed.update(mark for mark in MILESTONES if mark <= reached)
            return f"{reached * 100:.0f} % of the limit"
        grown = rss - self._census_bytes
        enough = min(GROWTH_OF_FREE * (self._ceiling - rss), GROWTH_OF_OWN * self._census_bytes)
        if grown > LEAST_GROWTH_BYTES and grown > enough:
            return "growth" if self._affordable(False, now) else None
        return None

    def _affordable(self, late: bool, now: float) -> bool:
        # For the walk alone: what may come after it is made as short as the rest of the allowance, see `_time_for`.
        return self._spent_s + self._walk_s <= self._allowed_s(late, now)

    def _allowed_s(self, late: bool, now: float) -> float:
        return (ALLOWANCE_S if late else EARLY_ALLOWANCE_S) + SHARE * (now - self._begun_s)

    def _take(self, trigger: str, rss: int, now: float) -> None:
        census = _load_census()
        if census is None:
            return
        plan = census.Plan(
            trigger=trigger,
            rss_bytes=rss,
            allocator_bytes=cpu_allocator.read(),
            expected_bytes=max(0, rss - (self._base_bytes or 0)),
            seconds=LONGEST_S if trigger == "peek" else self._time_for(now, rss),
            whole=trigger == "peek",
            room_bytes=self._ceiling - rss if self._ceiling is not None else None,
        )
        # Its own processor time: what the machine does besides is not a cost of ours.
        before = time.thread_time()
        published: list[CensusTaken] = []

        def publish(walked: CensusTaken) -> None:
            self._walk_s = time.thread_time() - before
            self.last_census = walked
            published.append(walked)
            journal.write(walked)

        try:
            # Whoever asked waits for all of it; at a milestone the process may not live to see the second half.
            taken = census.survey(plan, None if plan.whole else publish)
            self.last_census = taken
            journal.write(taken)
            if not published and not plan.whole:
                self._walk_s = time.thread_time() - before
        except MemoryError:
            guard.limited("census", "there was not enough memory left for it")
        finally:
            self._spent_s += time.thread_time() - before
            self._census_bytes = rss

    def _time_for(self, now: float, rss: int) -> float:
        late = self._ceiling is not None and rss >= LATE * self._ceiling
        return max(FIRST_COST_S, min(LONGEST_S, self._allowed_s(late, now) - self._spent_s - RESERVE_S))


_watch: Watch | None = None
loaded_with_census: list[str] = []
"""Modules that a census of a notebook needs too."""
notice: Callable[[int, int], None] | None = None
"""Told at each look: resident bytes, and the bytes at which nothing is left."""
relief: Callable[[], None] | None = None
"""Gives us memory for what is to be recorded of an exception that ends the program."""
refused: Callable[[BaseException], None] | None = None
"""Told of an error about memory that nobody caught, before the census of it."""
_census: ModuleType | None = None
_loading_pid = 0


@guarded("memory_watch.begin")
def begin() -> None:
    """Before the program begins, and in a fork before its code goes on: open what will be read."""
    global _watch
    process_memory.begin()
    _watch = Watch(_watch.limit if _watch is not None and _watch.limit else MemoryLimit(keeps_open=True))


@guarded("memory_watch.check")
def check() -> None:
    """Open again what the program closed."""
    limit = _watch.limit if _watch is not None else None
    if process_memory.is_lost() or (limit is not None and limit.is_lost()):
        with standstill.of_main_thread():
            process_memory.begin()
            if limit is not None:
                limit.reopen()


def current() -> Watch:
    """The watch of this process; a fork has its own."""
    global _watch
    if _watch is None or _watch._pid != os.getpid():
        _watch = Watch()
    return _watch


@guarded("memory_watch.tick")
def tick() -> float | None:
    """Called by the sampler's thread. Returns how long it may wait, or None where the watch failed."""
    return current().tick()


def last_census() -> CensusTaken | None:
    return _watch.last_census if _watch is not None else None


def last() -> Memory:
    return _watch.memory if _watch is not None else Memory()


@guarded("memory_watch.tensorflow")
def hook_tensorflow(tensorflow: object) -> None:
    """TensorFlow has been imported."""
    if os.environ.get(ENV_ALLOCATOR) != "0":
        cpu_allocator.enable(tensorflow)  # type: ignore[arg-type]
    current().rebase()
    _load_census()


@guarded("memory_watch.exception")
def at_exception(error: BaseException) -> None:
    """An exception that nobody caught: where it is about memory, or about open files, take a census before the frames
    go."""
    if refused is not None and is_about_memory(error):
        refused(error)
    if is_about_memory(error) or descriptors.are_refused(error):
        census = _load_census()
        taken = census.take("exception", error) if census is not None else None
        if taken is not None:
            journal.write(taken)


def is_about_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or type(error).__name__ == "ResourceExhaustedError"


def _load_census() -> ModuleType | None:
    """Ahead of the first census: at a milestone there may be no time to read files, and no memory. None in a fork that
    came in the middle of the import: there the module's lock belongs to a thread that is not there any more."""
    global _census, _loading_pid
    if _census is None:
        if _loading_pid not in (0, os.getpid()):
            return None
        _loading_pid = os.getpid()
        try:
            # To load modules is to open files.
            with standstill.of_main_thread():
                from whydied.inside.census import census

                for name in loaded_with_census:
                    importlib.import_module(name)
            _census = census
        finally:
            _loading_pid = 0
    return _census


def _importing() -> bool:
    """Whether a library that takes hundreds of megabytes is being loaded: nothing of the program's own lives yet, and a
    census would use up the time for those that count."""
    for name in ("tensorflow", "keras", "tf_keras"):
        module = sys.modules.get(name)
        spec = module.__dict__.get("__spec__") if type(module) is ModuleType else None
        if getattr(spec, "_initializing", False):
            return True
    return False


def _requested(run: str) -> bool:
    """Whether `whydied peek` asks for a census: a file `peek-<pid>` in the run's directory, which is taken away."""
    path = os.path.join(run, f"peek-{os.getpid()}")
    try:
        os.unlink(path)
    except OSError:
        return False
    return True
