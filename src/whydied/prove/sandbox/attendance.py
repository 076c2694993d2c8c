"""Waiting for a child while signals come in; runs in the guardian, the keeper and init of a sandbox.

Invariant: the caller has blocked `AWAITED` before it started the child, so no signal is lost; every child is reaped.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

TO_ALL = (signal.SIGINT, signal.SIGQUIT, signal.SIGWINCH)
"""What a terminal sends to all processes of a group."""
AWAITED = (*TO_ALL, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCONT, signal.SIGCHLD)
LOOK_S = 0.1


def wait_for(pid: int, forward: Callable[[signal.struct_siginfo], None], look: Callable[[], None] | None = None) -> int:
    """The wait status of a child. `look` is called several times a second."""
    while True:
        got = signal.sigtimedwait(AWAITED, LOOK_S) if look else signal.sigwaitinfo(AWAITED)
        if got and got.si_signo != signal.SIGCHLD:
            forward(got)
        while (reaped := os.waitpid(-1, os.WNOHANG))[0]:
            if reaped[0] == pid:
                return reaped[1]
        if look:
            look()


def outcome(status: int) -> int:
    """A wait status as an exit status."""
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code
