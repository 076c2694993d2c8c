"""Whether a program that stands still hangs, and what it comes down to: who waits for whom, from the main thread to the
last one. Pure; the supervisor asks it while the program lives, the diagnosis after its end.

Invariant: where any thread that could end the wait only lets time pass, or waits for people or requests, it is
no hang; a circle of threads that wait for each other always is one. Who sleeps until a condition of the program's own
objects holds hangs only where no other thread has run meanwhile and all wait for the program itself, without a timeout.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from whydied.read.waiting import NO_PYTHON, ON_PURPOSE, Stand, is_ours, kernel_kind, stand_of
from whydied.records import LockUse, ProcessWait, StacksTaken, TaskWait, ThreadStack

_LONGEST_CHAIN = 12
_FED_BY_PROCESSES = ("pool", "pipe", "future", "queue", "full queue", "event", "semaphore")
_GENERATORS = ("/tensorflow/python/ops/script_ops.py", "/tensorflow/python/data/ops/from_generator_op.py")

_OWN_WAITS = ("lock", "thread", "queue", "full queue", "event", "condition", "semaphore", "barrier", "future")
"""What only threads of the same process end."""
_WITH_TIME = re.compile(r"\btimeout\b|\.(?:wait|acquire|join|get|result)\(\s*[^)\s]|\.put\([^)]*,")


class Waiter(NamedTuple):
    """A thread in the chain of waiting; without `thread` only the kernel's word is known of the process."""

    pid: int
    thread: ThreadStack | None
    stand: Stand


class Knot(NamedTuple):
    """One thread of a circle. `wants` is the lock that it waits for, `held` how the next thread holds that lock; `kind`
    is what it waits for where that is not a lock."""

    thread: ThreadStack
    wants: LockUse | None
    held: LockUse | None
    kind: str = "lock"


class Stall(NamedTuple):
    """`pid` is the process of the circle, where there is one."""

    hangs: bool
    chain: list[Waiter]
    circle: list[Knot]
    pid: int = 0


class _Seen:
    """The processes and threads of one moment."""

    def __init__(self, processes: list[ProcessWait], stacks: list[StacksTaken]) -> None:
        self.processes = {process.pid: process for process in processes}
        self.threads = {
            taken.pid: [thread for thread in taken.threads if not is_ours(thread)] for taken in stacks if taken.threads
        }

    def main(self, pid: int) -> ThreadStack | None:
        threads = self.threads.get(pid, [])
        return next((thread for thread in threads if thread.main), threads[0] if threads else None)

    def task(self, pid: int, thread: ThreadStack) -> TaskWait | None:
        process = self.processes.get(pid)
        number = pid if thread.main else thread.native_id
        return next((task for task in process.tasks if task.tid == number), None) if process and number else None

    def children(self, pid: int) -> list[int]:
        return [process.pid for process in self.processes.values() if process.ppid == pid and process.state not in "ZX"]

    def below(self, pid: int) -> list[int]:
        found: list[int] = []
        for child in self.children(pid):
            found += [child, *self.below(child)]
        return found

    def waiter(self, pid: int, thread: ThreadStack) -> Waiter:
        return Waiter(pid, thread, stand_of(thread, self.task(pid, thread)))

    def others(self, pid: int, but: ThreadStack | None) -> list[Waiter]:
        """The threads of a process but one."""
        threads = self.threads.get(pid, [])
        return [self.waiter(pid, thread) for thread in threads if but is None or thread.ident != but.ident]

    def workers(self, pid: int, but: ThreadStack | None) -> list[Waiter]:
        """Threads of a process that are in code of the user's."""
        return [one for one in self.others(pid, but) if one.thread and any(frame.user for frame in one.thread.frames)]


def examine(root: int, processes: list[ProcessWait], stacks: list[StacksTaken]) -> Stall:
    seen = _Seen(processes, stacks)
    for pid, threads in seen.threads.items():
        if circle := circle_of(threads):
            return Stall(True, [seen.waiter(pid, knot.thread) for knot in circle], circle, pid)
    starts = _starts(seen, root)
    if not starts:
        return Stall(False, [], [])
    chains = [_follow(seen, pid, thread) for pid, thread in starts]
    stuck = [chain for chain in chains if _is_stuck(seen, chain)]
    # Of several programs below a shell one that works is enough.
    return Stall(len(stuck) == len(chains), stuck[0] if stuck else chains[0], [])


def circle_of(threads: list[ThreadStack]) -> list[Knot]:
    """Threads that wait for each other, each for what the next one holds or brings; also one that waits for itself. A
    lock is part of every circle: who brings a result is known of a pool, not of each of its workers."""
    for thread in threads:
        if found := _search(thread, thread, threads, {thread.ident}):
            return found
    return []


def _search(start: ThreadStack, current: ThreadStack, threads: list[ThreadStack], seen: set[int]) -> list[Knot]:
    """The way from a thread back to the first one, if there is one with a lock on it."""
    for knot, following in _successors(current, threads):
        if following.ident == start.ident:
            if knot.wants is not None or len(seen) > 1:
                return [knot]
        elif following.ident not in seen:
            rest = _search(start, following, threads, seen | {following.ident})
            if rest and any(one.wants is not None for one in (knot, *rest)):
                return [knot, *rest]
    return []


def _successors(thread: ThreadStack, threads: list[ThreadStack]) -> list[tuple[Knot, ThreadStack]]:
    """Whom a thread waits for: who holds its lock, whose end it awaits, or who works for it."""
    found: list[tuple[Knot, ThreadStack]] = []
    for wanted in (use for use in thread.locks if use.how == "waits"):
        for other in threads:
            held = next((use for use in other.locks if use.how == "holds" and use.lock == wanted.lock), None)
            if held is not None or wanted.owner == other.ident:
                found.append((Knot(thread, wanted, held, "lock"), other))
    found += [(Knot(thread, None, None, "thread"), other) for other in threads if other.ident == thread.joins]
    return found or _brought(thread, threads)


def _brought(thread: ThreadStack, threads: list[ThreadStack]) -> list[tuple[Knot, ThreadStack]]:
    """Who makes the elements of the pipeline or the results of the pool that a thread waits for. Not asked of workers,
    who would each wait for all others; and one worker that only lets time pass may be the one."""
    kind = stand_of(thread).kind
    workers = [other for other in threads if _brings(other, kind)]
    if any(other.ident == thread.ident or stand_of(other).kind in ON_PURPOSE for other in workers):
        return []
    return [(Knot(thread, None, None, kind), other) for other in workers]


def _brings(worker: ThreadStack, kind: str) -> bool:
    waiter = Waiter(0, worker, stand_of(worker))
    return _in_generator(waiter) if kind in ("pipeline", "tensorflow") else _works_for(waiter, kind)


def _starts(seen: _Seen, root: int) -> list[tuple[int, ThreadStack]]:
    """The main threads to begin with: the program's own, else (a shell) those of the first Pythons below it."""
    main = seen.main(root)
    if main is not None:
        return [(root, main)]
    found: list[tuple[int, ThreadStack]] = []
    for child in seen.children(root):
        found += _starts(seen, child)
    return found


def _follow(seen: _Seen, pid: int, thread: ThreadStack) -> list[Waiter]:
    chain = [seen.waiter(pid, thread)]
    while len(chain) < _LONGEST_CHAIN:
        following = _awaited(seen, chain[-1])
        if following is None or any(_same(following, before) for before in chain):
            break
        chain.append(following)
    return chain


def _same(one: Waiter, other: Waiter) -> bool:
    return one.pid == other.pid and (one.thread and one.thread.ident) == (other.thread and other.thread.ident)


def _awaited(seen: _Seen, waiter: Waiter) -> Waiter | None:
    """Who has to act before this one can go on, as far as that can be seen."""
    pid, thread, stand = waiter
    if thread is None:
        return _of_processes(seen, seen.children(pid)) if stand.kind == "process" else None
    threads = {other.ident: other for other in seen.threads.get(pid, [])}
    if stand.kind == "thread":
        joined = threads.get(thread.joins or 0)
        if joined is not None:
            return seen.waiter(pid, joined)
        return _most_at_fault(seen.workers(pid, thread)) if thread.joins is None else None
    if stand.kind == "lock":
        step = next((other for knot, other in _successors(thread, list(threads.values())) if knot.wants), None)
        return seen.waiter(pid, step) if step else None
    if stand.kind == "process":
        return _of_processes(seen, [thread.awaits] if thread.awaits else seen.children(pid))
    if stand.kind in ("pipeline", "tensorflow"):
        return _most_at_fault([other for other in seen.others(pid, thread) if _in_generator(other)])
    if stand.kind in _FED_BY_PROCESSES:
        others = [other for other in seen.workers(pid, thread) if _works_for(other, stand.kind)]
        return _most_at_fault(others) or _of_processes(seen, seen.children(pid), at_work=True)
    return None


def _of_processes(seen: _Seen, pids: list[int], at_work: bool = False) -> Waiter | None:
    """The first of some processes that is stuck. With `at_work` only those that are in a task of the user's count: a
    worker of a pool without one waits for work."""
    found: list[Waiter] = []
    for pid in pids:
        main, process = seen.main(pid), seen.processes.get(pid)
        if main is not None:
            if not at_work or any(frame.user for frame in main.frames):
                found.append(seen.waiter(pid, main))
        elif process is not None and process.tasks and not at_work:
            found.append(Waiter(pid, None, _without_stack(process)))
    return _most_at_fault(found)


def _without_stack(process: ProcessWait) -> Stand:
    """What the kernel tells of a process. Programs of other languages rest their first thread on a lock while others of
    their threads work, so that says something of Python alone."""
    task = process.tasks[0]
    kind = kernel_kind(task)
    return Stand("unknown" if kind == "lock" and process.without == NO_PYTHON else kind, None, task.target)


def _works_for(waiter: Waiter, kind: str) -> bool:
    """Whether a thread is a worker of a pool of threads."""
    frames = waiter.thread.frames if waiter.thread else []
    part = {"pool": "/multiprocessing/pool.py", "future": "/concurrent/futures/thread.py"}.get(kind)
    return part is not None and any(part in frame.file for frame in frames)


def _in_generator(waiter: Waiter) -> bool:
    """Whether a thread runs a function of the user's for a pipeline."""
    frames = waiter.thread.frames if waiter.thread else []
    return any(part in frame.file for frame in frames for part in _GENERATORS)


def _most_at_fault(waiters: list[Waiter]) -> Waiter | None:
    """One that only lets time pass decides: then all who wait for it do. Else one that is inside TensorFlow or waits
    for something of its own, else the first."""
    for waiter in waiters:
        if waiter.stand.kind in ON_PURPOSE:
            return waiter
    return waiters[0] if waiters else None


def _is_stuck(seen: _Seen, chain: list[Waiter]) -> bool:
    last = chain[-1]
    if last.stand.kind in ON_PURPOSE or (last.stand.kind == "unknown" and not _is_still(seen, last)):
        return False
    if last.stand.kind == "polled":
        return _nothing_moves(seen, last)
    if last.thread is None:
        return last.stand.kind not in ("socket", "unknown")
    if last.stand.kind in ("process", "pool", "pipe", "tensorflow", "pipeline"):
        return True
    if last.stand.kind == "lock" and last.thread.locks:
        return True
    # Any thread could set the event or fill the queue: one that only lets time pass may still do it.
    pids = [last.pid, *(seen.below(last.pid) if last.stand.kind in _FED_BY_PROCESSES else [])]
    return not any(_may_act(other) for pid in pids for other in seen.others(pid, last.thread))


def _nothing_moves(seen: _Seen, last: Waiter) -> bool:
    """Whether no other thread or process can change what a thread polls."""
    process = seen.processes.get(last.pid)
    if process is None or last.thread is None or seen.children(last.pid):
        return False
    others = seen.others(last.pid, last.thread)
    if any(one.stand.kind not in _OWN_WAITS or _ends_by_time(one.thread) for one in others):
        return False
    own = last.pid if last.thread.main else last.thread.native_id
    known = {one.thread.native_id for one in others if one.thread is not None}
    known |= set() if last.thread.main else {last.pid}
    rest = [task for task in process.tasks if task.tid != own]
    ran = [task for task in rest if task.switched is not False]
    # The recorder's own thread took the stacks and is not among them.
    return bool(rest) and len(ran) <= 1 and not any(task.tid in known for task in ran)


def _ends_by_time(thread: ThreadStack | None) -> bool:
    """Whether a thread goes on by itself: a timer, or a wait that is given a time."""
    frames = thread.frames if thread is not None else []
    inner = [(frame.file.endswith("/threading.py"), frame.function) for frame in frames]
    if any(pair == ((True, "run"), (True, "wait")) for pair in pairwise(inner)):
        return True
    line = next((frame.source for frame in reversed(frames) if frame.user), "")
    return bool(_WITH_TIME.search(line))


def _may_act(waiter: Waiter) -> bool:
    """Whether a thread may yet do what others wait for. Libraries have threads of their own that sleep and look at
    something repeatedly; those serve no one."""
    mine = waiter.thread is not None and any(frame.user for frame in waiter.thread.frames)
    return waiter.stand.kind in ((*ON_PURPOSE, "polled") if mine else ("server", "input", "prompt"))


def _is_still(seen: _Seen, waiter: Waiter) -> bool:
    """Whether a thread of which no more is known has not run at all."""
    task = seen.task(waiter.pid, waiter.thread) if waiter.thread else None
    return task is not None and task.switched is False
