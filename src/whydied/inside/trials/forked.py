"""Questions answered in a forked copy of this process; runs in the user's process, when it is about to end.

The copy has all values of the program and none of its threads, so what is asked may compute with them and change them:
nothing of it comes back but the answers. TensorFlow's small ops, layers and traces run there; what waits for its thread
pools never ends and is ended.

Invariant: the program does not notice. The copy is made without Python's hooks for forks, which are the program's and
ours; it prints nothing, writes no file, gets no signal that is meant for the program, dies with it, and is gone when
`answers` returns. Where memory is scarce or a GPU is in use no copy is made.
"""

from __future__ import annotations

import ctypes
import os
import resource
import select
import signal
import sys
import time
from _thread import get_ident
from collections.abc import Callable, Sequence
from typing import Any

from whydied.inside import journal
from whydied.inside.guest import standstill
from whydied.inside.process import process_memory

LONGEST_ANSWER = 200
LARGEST_COPY_BYTES = 4 << 30
"""Copying the page tables of more takes too long."""
ROOM_BYTES = 256 << 20
"""What a copy may take for itself; there must be twice as much."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2)
_CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL)
_PR_SET_PDEATHSIG = 1

Question = Callable[[], str]


def answers(questions: Sequence[Question], longest_s: float, each_s: float) -> list[str | None]:
    """What each question gave, in their order; None for one that raised, that took too long, or that was not asked any
    more."""
    found: list[str | None] = [None] * len(questions)
    if not questions or not _is_possible():
        return found
    # The program is not to be told of the end of children that it does not know.
    told = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        ends = time.monotonic() + longest_s
        at = 0
        while at < len(questions) and time.monotonic() < ends:
            at = _asked(questions, at, found, ends, each_s)
    finally:
        signal.signal(signal.SIGCHLD, told)
    return found


def _is_possible() -> bool:
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


def _asked(questions: Sequence[Question], at: int, found: list[str | None], ends: float, each_s: float) -> int:
    """Ask in one copy until a question does not come back; the number of the next to ask."""
    reads, writes = os.pipe()
    try:
        # Not os.fork: it runs hooks that are the program's, and warns of threads.
        child = int(ctypes.PyDLL(None).fork())
        if child == 0:
            _answer(questions[at:], writes)
        os.close(writes)
        writes = -1
        if child < 0:
            return len(questions)
        try:
            return _listened(reads, at, found, ends, each_s)
        finally:
            _end(child)
    finally:
        os.close(reads)
        if writes >= 0:
            os.close(writes)


def _listened(reads: int, at: int, found: list[str | None], ends: float, each_s: float) -> int:
    kept = b""
    # The first one waits for the copy to be made.
    patience_s = 2 * each_s
    while at < len(found):
        ready, _, _ = select.select([reads], [], [], max(0.0, min(patience_s, ends - time.monotonic())))
        patience_s = each_s
        data = os.read(reads, 1 << 16) if ready else b""
        if not data:
            # It hangs, or it is gone: not this question, and from the next one on in another copy.
            return at + 1
        *lines, kept = (kept + data).split(b"\n")
        for line in lines:
            found[at] = line[1:].decode(errors="replace") if line[:1] == b"+" else None
            at += 1
    return at


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


def _answer(questions: Sequence[Question], writes: int) -> None:
    """In the copy; does not return."""
    try:
        _become_nobody()
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


def _become_nobody() -> None:
    library: Any = ctypes.CDLL(None)
    library.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    for number in _CRASHES:
        # A crash here is not the program's: nobody is to write it down.
        signal.signal(number, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    # Python does not heed the signal of this limit: a write to a file is an error.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    most = (process_memory.virtual_bytes() or 0) + ROOM_BYTES
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    owner = journal.current()
    if owner is not None:
        owner.fall_silent()
