"""A program that makes no progress: what each thread stands at and waits for. See `whydied.records`."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from whydied.records.values import Frame, Important, Value

LARGEST_THREADS = 40
LARGEST_BYTES = 48 * 1024
LARGEST_TASKS = 300
"""In one record, of all processes together."""
INNERMOST = 10
"""Frames of libraries that are kept, counted from the innermost."""
POOLS = ("/multiprocessing/pool.py", "/concurrent/futures/thread.py")
"""Kept however far out: they tell whose worker a thread is."""
LONGEST_LINE = 160


class LockUse(Value, frozen=True, kw_only=True):
    """A lock that a thread holds or waits for, at a line of the user's. `lock` is the same number for the same lock
    of a process; `owner` is the thread that the lock itself names as its holder; `sure` is false where the source shows
    only that it was taken before."""

    how: str
    name: str
    kind: str
    lock: int
    file: str
    line: int
    owner: int | None = None
    sure: bool = True


class Polled(Value, frozen=True, kw_only=True):
    """A condition of the program's own objects that a loop on `line` sleeps for; `values` are those of its sides that
    are numbers."""

    condition: str
    line: int
    values: dict[str, str] = {}


class ThreadStack(Value, frozen=True, kw_only=True):
    """One thread of Python's, the innermost frame last. `joins` is the thread, `awaits` the process whose end it waits
    for; `forked_at` is the line of the parent's at which a forked worker began; `polls` is what it sleeps for."""

    name: str
    ident: int
    main: bool = False
    native_id: int | None = None
    frames: list[Frame] = []
    locks: list[LockUse] = []
    joins: int | None = None
    awaits: int | None = None
    forked_at: Frame | None = None
    polls: Polled | None = None


class TaskWait(Value, frozen=True, kw_only=True):
    """What the kernel says of one thread: its state, the system call that it is in, and what the call's descriptor is.
    `switched` says whether it ran at all since progress was last seen."""

    tid: int
    state: str
    call: str = ""
    target: str = ""
    switched: bool | None = None


class ProcessWait(Value, frozen=True, kw_only=True):
    """One process of the tree, as the kernel sees it. `without` says why its Python stacks could not be read."""

    pid: int
    ppid: int
    name: str
    state: str
    threads: int = 1
    tasks: list[TaskWait] = []
    without: str = ""


class StacksTaken(Important, frozen=True, kw_only=True):
    """The stacks of all threads of a process that makes no progress. `how` is "inside" (its own recorder) or "py-spy";
    `moment` is the number of the request; `left_out` counts threads that had no room."""

    pid: int
    how: str
    moment: int
    threads: list[ThreadStack]
    left_out: int = 0


class ProgressStopped(Important, frozen=True, kw_only=True):
    """No output, no step, hardly any processor time for `idle_s` seconds, where `wanted_s` make a hang. `moment` names
    the stacks that belong to it; `hangs` is false where what the program waits for is not a fault, such as a key."""

    moment: int
    idle_s: float
    wanted_s: float
    hangs: bool
    processes: list[ProcessWait] = []


class ProgressResumed(Important, frozen=True, kw_only=True):
    """The program went on, after so many seconds."""

    idle_s: float


def own_part(steps: Iterable[tuple[str, str]]) -> int:
    """How many frames of a stack, told by file and function, are the process's own. Below where a forked worker begins
    it still has the stack that its parent had at the fork."""
    count = 0
    for file, function in steps:
        count += 1
        if (function == "_bootstrap" and file.endswith("multiprocessing/process.py")) or (
            function == "_launch" and file.endswith("multiprocessing/popen_fork.py")
        ):
            break
    return count


def ranked(threads: list[ThreadStack]) -> list[ThreadStack]:
    """The main thread first, then those with code of the user's."""
    return sorted(threads, key=lambda one: (not one.main, not any(frame.user for frame in one.frames), one.name))


def fitting(taken: StacksTaken) -> StacksTaken:
    """As many threads as a record can hold."""
    left_out = taken.left_out + max(0, len(taken.threads) - LARGEST_THREADS)
    taken = msgspec.structs.replace(taken, threads=taken.threads[:LARGEST_THREADS], left_out=left_out)
    encode = msgspec.msgpack.Encoder().encode
    while len(encode(taken)) > LARGEST_BYTES and len(taken.threads) > 1:
        half = len(taken.threads) // 2
        left_out += len(taken.threads) - half
        taken = msgspec.structs.replace(taken, threads=taken.threads[:half], left_out=left_out)
    return taken


def bounded(processes: list[ProcessWait]) -> list[ProcessWait]:
    """The same processes, each with as many threads as a record has room for; the first thread of each stays."""
    each = max(1, LARGEST_TASKS // max(1, len(processes)))
    return [msgspec.structs.replace(process, tasks=process.tasks[:each]) for process in processes]
