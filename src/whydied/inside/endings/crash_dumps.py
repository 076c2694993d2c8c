"""faulthandler, onto a file of the run: the Python line of a crash in native code; runs in the user's process. Before
it stands the handler of `crash_handler`, for the native frames.

Invariant: a process dies by the same signal as without us; the program's own `faulthandler.enable`,
`signal.signal` and `signal.getsignal` work as without us; the descriptor is far above those that programs count on.
An empty file is taken away at an orderly end.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import Any

from whydied.inside import journal
from whydied.inside.endings import crash_handler
from whydied.inside.guest import guard, standstill
from whydied.inside.guest.guard import guarded
from whydied.inside.process.held_files import identity, raised

_DEADLY = (
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGXCPU,
    signal.SIGQUIT,
    signal.SIGALRM,
    signal.SIGUSR1,
    signal.SIGUSR2,
)


class Faults:
    """The file of this process."""

    def __init__(self, run: str) -> None:
        self._run = run
        self._path = ""
        self._fd = -1
        self._identity: tuple[int, int] = (0, 0)
        self.enabled = False

    @guarded("faults.install")
    def install(self) -> None:
        import faulthandler

        if faulthandler.is_enabled():
            guard.limited("fault file", "faulthandler was already enabled, and writes to the program's stderr")
            self._stand_before()
            return
        self._fd = self._open()
        self._register(faulthandler, again=False)
        self.enabled = True
        self._stand_before()

    def _register(self, faulthandler: Any, again: bool) -> None:
        faulthandler.enable(file=self._fd, all_threads=True)
        for number in _DEADLY:
            # To unregister puts back what was there before us, and takes away a handler that the program set since.
            if signal.getsignal(number) == signal.SIG_DFL and (not again or faulthandler.unregister(number)):
                # Only the thread that takes the signal: it stands still meanwhile, the others do not.
                faulthandler.register(number, file=self._fd, all_threads=False, chain=True)

    @guarded("faults.handler")
    def _stand_before(self) -> None:
        crash_handler.install(self._run)

    @guarded("faults.fork")
    def after_fork_in_child(self) -> None:
        """A file of the child's own, under the descriptor that faulthandler has."""
        crash_handler.after_fork_in_child(self._run)
        if not self.enabled or not self._holds():
            return
        wanted = self._fd
        self._fd = self._open()
        os.dup2(self._fd, wanted, inheritable=False)
        os.close(self._fd)
        self._fd = wanted

    @guarded("faults.check")
    def check(self) -> None:
        """Open the file again when the program closed our descriptor."""
        faulthandler = sys.modules.get("faulthandler")
        if not self.enabled or faulthandler is None or self._holds():
            return
        if not faulthandler.is_enabled():
            self.enabled = False
            return
        with standstill.of_main_thread():
            self._fd = self._open()
        self._register(faulthandler, again=True)

    @guarded("faults.close")
    def close(self) -> None:
        """Take an empty file away; faulthandler stays, for crashes in the last moments of the interpreter."""
        if self._path and self._holds() and os.fstat(self._fd).st_size == 0:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path)

    def _open(self) -> int:
        self._path = os.path.join(self._run, "faults", f"{os.getpid()}.txt")
        high = raised(os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600))
        self._identity = identity(high)
        return high

    def _holds(self) -> bool:
        try:
            return identity(self._fd) == self._identity
        except OSError:
            return False


def install() -> Faults | None:
    owner = journal.current()
    if owner is None:
        return None
    faults = Faults(owner.run)
    faults.install()
    return faults
