"""Ends what a supervisor leaves when it is killed itself: a small process of ours beside it.

A Jupyter server kills a kernel by SIGKILL to its whole process group. That reaches the supervisor, which can tell
nobody any more, and not the group of the kernel, in which the kernel's own children are. The warden waits for the
end of the supervisor and then kills that group.

What always holds: the warden is in a session of its own and holds no file but one end of a pipe; it ends with the
supervisor, however that ends; a supervisor that ended in order dismisses it, and then it kills nobody.
"""

from __future__ import annotations

import contextlib
import os
import signal
from typing import NoReturn

_DISMISSED = b"-"


class Warden:
    """To be made before the supervisor has threads, and before it opens pipes of the program."""

    def __init__(self) -> None:
        read_fd, self._write_fd = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _wait(read_fd)
        os.close(read_fd)

    def guard(self, group: int) -> None:
        """Say which process group must not outlive us."""
        self._tell(b"%d\n" % group)

    def dismiss(self) -> None:
        self._tell(_DISMISSED)
        os.close(self._write_fd)
        with contextlib.suppress(OSError):
            os.waitpid(self.pid, 0)

    def _tell(self, words: bytes) -> None:
        with contextlib.suppress(OSError):
            os.write(self._write_fd, words)


def _wait(read_fd: int) -> NoReturn:
    try:
        os.setsid()
        keep = os.dup2(read_fd, 3) if read_fd != 3 else 3
        os.closerange(0, 3)
        os.closerange(4, 1024)
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        told = b""
        while part := os.read(keep, 64):
            told += part
        if told.endswith(b"\n"):
            os.killpg(int(told), signal.SIGKILL)
    except (OSError, ValueError):
        pass
    finally:
        os._exit(0)
