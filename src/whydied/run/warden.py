"""Ends what a supervisor leaves when it is killed itself: a small process of ours beside it.

A Jupyter server kills a kernel by SIGKILL to its whole process group. That reaches the supervisor, which can tell
nobody any more, and not the group of the kernel, in which the kernel's own children are. The warden waits for the
end of the supervisor, kills that group and removes the control group that was made for it.

Invariant: the warden is in a session of its own and holds no file but one end of a pipe; it ends with the
supervisor, however that ends; a supervisor that ended in order dismisses it, and then it kills nobody.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from typing import NoReturn

_DISMISSED = b"-"
_REMOVE_TRIES, _REMOVE_PAUSE_S = 40, 0.05


class Warden:
    """To be made before the supervisor has threads, and before it opens pipes of the program."""

    def __init__(self) -> None:
        read_fd, self._write_fd = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _wait(read_fd)
        os.close(read_fd)

    def guard(self, group: int, made: str | None = None) -> None:
        """Say which process group must not outlive us, and which control group was made for it."""
        self._tell(b"%d %s\n" % (group, os.fsencode(made or "")))

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
            group, _, made = told[:-1].partition(b" ")
            with contextlib.suppress(OSError):
                os.killpg(int(group), signal.SIGKILL)
            if made:
                _remove(os.fsdecode(made))
    except (OSError, ValueError):
        pass
    finally:
        os._exit(0)


def _remove(made: str) -> None:
    """Remove a control group, unless the system killed in it: then its counters are evidence for a later report."""
    for name in ("memory.events", "memory.oom_control"):
        with contextlib.suppress(OSError), open(f"{made}/{name}") as file:
            if any(words[:1] == ["oom_kill"] and words[1:] != ["0"] for words in map(str.split, file)):
                return
    for _ in range(_REMOVE_TRIES):
        try:
            os.rmdir(made)
            return
        except FileNotFoundError:
            return
        except OSError:
            # Processes that were just killed are still in it.
            time.sleep(_REMOVE_PAUSE_S)
