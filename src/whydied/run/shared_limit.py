"""How the supervisor outlives a program with which it shares a memory limit, as in every container; runs in the parent.

Out of memory, the kernel kills the process of the group that counts most. While a killed process is taken apart it no
longer counts, and its memory is not free yet: whoever touches a new page at that moment makes the kernel choose again,
and the supervisor is all that is left. So the program counts for more than it has, and its smallest worker goes before
us; and between the two stand *decoys*, small processes of ours that have nothing to do but to be chosen in that moment.

Invariant: with a limit that is not shared nothing is changed; decoys end with us.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from typing import NoReturn

from whydied.linux import cgroup, proc
from whydied.run.observe.limits import Limit

ROOM_BYTES = 32 << 20
_PATIENCE_S = 2.0
_MOST = 1000
"""Of `oom_score_adj`, which counts in thousandths of the limit."""
_DECOYS = 3
_ROOM_FOR_US = 1.5
"""We grow a little while we watch."""
_SELF = "/proc/self/oom_score_adj"


class SharedLimit:
    """To be made before the supervisor has threads, and before it opens pipes of the program."""

    def __init__(self, limit: Limit) -> None:
        self.program_adjustment: int | None = None
        """The `oom_score_adj` of the program, where it must not be ours."""
        self._decoys: list[int] = []
        self._group = cgroup.holding_limit(limit.group) if limit.group and _is_shared(limit) else None
        before = proc.read_int(_SELF) if self._group else None
        stat = proc.stat_of(os.getpid())
        if before is not None and stat is not None:
            step = 1 + int(1000 * _ROOM_FOR_US * stat.rss_bytes / limit.limit_bytes)
            self.program_adjustment = min(_MOST, before + 2 * step)
            decoys = [_decoy(min(_MOST, before + step)) for _ in range(_DECOYS)]
            self._decoys = [pid for pid in decoys if pid is not None]

    def await_room(self) -> None:
        """After the program's end: until its memory is free again."""
        give_up = time.monotonic() + _PATIENCE_S
        group = self._group
        while group and (group.room_bytes() or ROOM_BYTES) < ROOM_BYTES and time.monotonic() < give_up:
            time.sleep(0.01)

    def end(self) -> None:
        for pid in self._decoys:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.waitpid(pid, 0)
        self._decoys = []


def _is_shared(limit: Limit) -> bool:
    """Whether a group that we are in ourselves, as in a container, holds the program's limit."""
    return limit.kind != "machine" and limit.made is None and limit.watched_bytes is None


def _decoy(adjustment: int) -> int | None:
    """A process that waits to be killed, or None where the system gives none."""
    supervisor = os.getpid()
    try:
        pid = os.fork()
    except OSError:
        return None
    if pid == 0:
        _wait(supervisor, adjustment)
    return pid


def _wait(supervisor: int, adjustment: int) -> NoReturn:
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        with open(_SELF, "w") as file:
            file.write(str(adjustment))
        os.closerange(0, 1024)
        while os.getppid() == supervisor:
            signal.sigtimedwait({signal.SIGRTMAX}, 1.0)
    finally:
        os._exit(0)
