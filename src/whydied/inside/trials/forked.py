"""Questions answered in a forked copy of this process; runs in the user's process, when it is about to end.

The copy has all values of the program and none of its threads, so what is asked may compute with them and change them:
nothing of it comes back but the answers. TensorFlow's small ops, layers and traces run there; what waits for its thread
pools never ends and is ended.

Invariant: the program does not notice, but for hooks of its own for forks. The copy prints nothing, records nothing,
gets no signal that is meant for the program, dies with it, and is gone when `answers` returns. The kernel refuses it to
write, make, remove or rename a file, to connect, and to start or signal a process; where it cannot be held to that,
where memory is scarce or a GPU is in use, nothing is asked.
"""

from __future__ import annotations

import ctypes
import os
import resource
import select
import signal
import sys
import time
import warnings
from _thread import get_ident
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from whydied.inside import journal
from whydied.inside.guest import standstill
from whydied.inside.process import process_memory
from whydied.linux import proc, sealing

LONGEST_ANSWER = 2_000
LARGEST_COPY_BYTES = 4 << 30
"""Copying the page tables of more takes too long."""
ROOM_BYTES = 256 << 20
"""What a copy may take for itself; there must be twice as much."""
LONGEST_S = 8.0
"""Of a clock: for a machine on which the copies get hardly any time."""
LOOK_S, HANGS_AFTER = 0.05, 5
"""A copy that sleeps through so many looks waits for a thread that it does not have."""
_TICKS = os.sysconf("SC_CLK_TCK")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2)
CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL)
_PR_SET_PDEATHSIG = 1

Question = Callable[[], str]


def answers(questions: Sequence[Question], cpu_s: float) -> list[str | None]:
    """What each question gave, in their order; None for one that raised, that hung, or that was not asked any more
    because those before it had used the time up: seconds of the processor, so that a busy machine answers the same."""
    found: list[str | None] = [None] * len(questions)
    if not questions or not is_possible():
        return found
    # The program is not to be told of the end of children that it does not know.
    told = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        ends, at = time.monotonic() + LONGEST_S, 0
        while at < len(questions) and cpu_s > 0 and time.monotonic() < ends:
            at, used_s = _asked(questions, at, found, cpu_s, ends)
            cpu_s -= used_s
    except OSError:
        # No more processes or files for this user: nothing is known then.
        pass
    finally:
        signal.signal(signal.SIGCHLD, told)
    return found


def is_possible() -> bool:
    if sys.platform != "linux" or get_ident() != standstill.main_thread() or _uses_gpu():
        return False
    if signal.getsignal(signal.SIGCHLD) is None:
        # A handler of native code, which could not be put back.
        return False
    rss = process_memory.rss_bytes()
    room = process_memory.MemoryLimit().room_bytes(rss) if rss is not None else None
    return rss is not None and room is not None and rss < LARGEST_COPY_BYTES and room > 2 * ROOM_BYTES


def _uses_gpu() -> bool:
    """Whether a driver of a GPU is loaded: what it keeps of a process does not survive a fork."""
    try:
        with open("/proc/self/maps", encoding="ascii", errors="replace") as maps:
            return any("libcuda.so" in line or "libamdhip" in line for line in maps)
    except OSError:
        return True


def _asked(
    questions: Sequence[Question], at: int, found: list[str | None], cpu_s: float, ends: float
) -> tuple[int, float]:
    """Ask in one copy until a question does not come back: the number of the next to ask, and the time that it took."""
    reads, writes = os.pipe()
    try:
        most_bytes = (process_memory.virtual_bytes() or 0) + ROOM_BYTES
        child = fork()
        if child == 0:
            _answer(questions[at:], writes, most_bytes)
        os.close(writes)
        writes = -1
        try:
            at = _listened(child, reads, at, found, cpu_s, ends)
            return at, _used(child).cpu_s
        finally:
            _end(child)
    finally:
        os.close(reads)
        if writes >= 0:
            os.close(writes)


def fork() -> int:
    journal.copying = True
    try:
        with warnings.catch_warnings():
            # Of threads, which the copy does not need.
            warnings.simplefilter("ignore")
            return os.fork()
    finally:
        journal.copying = False


def _listened(child: int, reads: int, at: int, found: list[str | None], cpu_s: float, ends: float) -> int:
    kept, before, idle = b"", _Used(0.0, True), 0
    while at < len(found):
        ready, _, _ = select.select([reads], [], [], LOOK_S)
        if not ready:
            now = _used(child)
            idle = idle + 1 if now.sleeps and now.cpu_s == before.cpu_s else 0
            before = now
            if idle >= HANGS_AFTER or now.cpu_s > cpu_s or time.monotonic() > ends:
                return at + 1
            continue
        data = os.read(reads, 1 << 16)
        if not data:
            # It is gone: not this question, and from the next one on in another copy.
            return at + 1
        idle = 0
        *lines, kept = (kept + data).split(b"\n")
        for line in lines:
            found[at] = line[1:].decode(errors="replace") if line[:1] == b"+" else None
            at += 1
    return at


class _Used(NamedTuple):
    cpu_s: float
    sleeps: bool


def _used(child: int) -> _Used:
    """The processor time of a copy, and whether it waits for something."""
    stat = proc.read(f"/proc/{child}/stat")
    fields = stat.rpartition(b")")[2].split() if stat else []
    if len(fields) < 13:
        return _Used(0.0, True)
    return _Used((int(fields[11]) + int(fields[12])) / _TICKS, fields[0] in (b"S", b"D", b"Z"))


def _end(child: int) -> None:
    """One that has nothing more to say ends by itself."""
    try:
        for _ in range(20):
            if os.waitpid(child, os.WNOHANG)[0]:
                return
            time.sleep(0.001)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    except OSError:
        # A handler of the program's for its children was faster.
        pass


def _answer(questions: Sequence[Question], writes: int, most_bytes: int) -> None:
    """In the copy; does not return."""
    try:
        _become_nobody(most_bytes)
        for question in questions:
            os.write(writes, _line(question))
    finally:
        os._exit(0)


def _line(question: Question) -> bytes:
    try:
        said = question().replace("\n", " ")[:LONGEST_ANSWER]
    except BaseException:
        return b"-\n"
    return b"+" + said.encode(errors="replace") + b"\n"


def _become_nobody(most_bytes: int) -> None:
    library: Any = ctypes.CDLL(None)
    library.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    for number in CRASHES:
        # A crash here is not the program's: nobody is to write it down.
        signal.signal(number, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    # Python does not heed the signal of this limit: a write to a file is an error.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = most_bytes if hard == resource.RLIM_INFINITY else min(most_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    # Last: what comes before it opens a file.
    sealing.seal()
