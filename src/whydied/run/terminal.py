"""A pseudo-terminal that stands in for the user's terminal on the program's output; runs in the parent.

The program keeps the user's terminal as its standard input and controlling terminal, and stays in our process group:
keys, Ctrl-C, Ctrl-Z, the foreground and reads of `/dev/tty` are the kernel's business, as without us, and a supervisor
that dies leaves a terminal that works. Only what the program writes passes through the pseudo-terminal.

Invariant: the program sees the settings and the size of the real terminal, and settings that it changes on its
side reach the real one. The bytes that reach the real terminal are those that the program wrote: the pseudo-terminal
writes "\\r\\n" for each "\\n" because its settings say so, the real one would do it a second time, so `restore` takes
exactly that "\\r" out again. Known difference: the program cannot read keys from its standard error (`more` does).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import termios
from typing import Any

Settings = list[Any]
_OFLAG = 1


class Terminal:
    """The pseudo-terminal between the program and the terminal behind `real_fd`."""

    def __init__(self, real_fd: int) -> None:
        self.real_fd = real_fd
        self._real = termios.tcgetattr(real_fd)
        self.master_fd, self.slave_fd = os.openpty()
        if _only_newlines_change(self._real):
            termios.tcsetattr(self.master_fd, termios.TCSANOW, self._real)
        else:
            # Other output processing (tabs, upper case) cannot be undone, so it is left to the real terminal.
            plain = list(self._real)
            plain[_OFLAG] &= ~termios.OPOST
            termios.tcsetattr(self.master_fd, termios.TCSANOW, plain)
        self._slave = termios.tcgetattr(self.master_fd)
        self.copy_size()

    def copy_size(self) -> bool:
        """Give the real terminal's size to the program's; true if it changed."""
        with contextlib.suppress(OSError):
            real = fcntl.ioctl(self.real_fd, termios.TIOCGWINSZ, bytes(8))
            if real != fcntl.ioctl(self.master_fd, termios.TIOCGWINSZ, bytes(8)):
                fcntl.ioctl(self.master_fd, termios.TIOCSWINSZ, real)
                return True
        return False

    def copy_settings(self) -> None:
        """Carry a change of settings over, from whichever side made it. The program's own side wins."""
        with contextlib.suppress(termios.error, OSError):
            slave = termios.tcgetattr(self.master_fd)
            if slave != self._slave:
                self._slave = slave
                # In the background the change belongs to nobody yet, and the kernel would stop us for making it.
                if os.tcgetpgrp(self.real_fd) == os.getpgrp():
                    termios.tcsetattr(self.real_fd, termios.TCSANOW, slave)
                    self._real = termios.tcgetattr(self.real_fd)
                return
            real = termios.tcgetattr(self.real_fd)
            if real != self._real:
                self._real = real
                if _only_newlines_change(real):
                    termios.tcsetattr(self.master_fd, termios.TCSANOW, real)
                    self._slave = termios.tcgetattr(self.master_fd)

    def restore(self, data: bytes) -> bytes:
        """What the program wrote, from what came out of the pseudo-terminal."""
        oflag = self._slave[_OFLAG]
        return data.replace(b"\r\n", b"\n") if oflag & termios.OPOST and oflag & termios.ONLCR else data

    def splits_newline(self, data: bytes) -> bool:
        """Whether the last byte may be the first half of a "\\r\\n"."""
        return data.endswith(b"\r") and bool(self._slave[_OFLAG] & termios.OPOST)

    def leave_to_others(self) -> None:
        """From now on bytes are copied by someone who does not `restore` them."""
        with contextlib.suppress(termios.error, OSError):
            plain = termios.tcgetattr(self.master_fd)
            plain[_OFLAG] &= ~termios.OPOST
            termios.tcsetattr(self.master_fd, termios.TCSANOW, plain)


def _only_newlines_change(settings: Settings) -> bool:
    oflag = settings[_OFLAG]
    return not oflag & termios.OPOST or not oflag & ~(termios.OPOST | termios.ONLCR)
