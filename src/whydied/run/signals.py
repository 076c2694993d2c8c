"""Signals that reach the supervisor, and which of them the program has already got; runs in the parent.

The program stays in our process group, so a key at the terminal, and a signal sent to the group, reach it without us. A
signal sent to us alone must be passed on. The kernel tells a key (`si_code`), but not whether a sender meant the group.
The *canary* tells: a small process of ours in the same group that waits for the same signals. What it got too was sent
to the group. It ends with us.

Invariant: signals are blocked, and taken one by one with their sender; no handler of ours ever runs.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import struct
import time
from collections.abc import Collection, Iterator
from typing import NamedTuple, NoReturn

from whydied.records import SignalReceived
from whydied.run.observe.neighbours import identity

FORWARDED = (
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGCONT,
    signal.SIGTSTP,
    signal.SIGWINCH,
)
TAKEN = frozenset({*FORWARDED, signal.SIGCHLD})
# The kernel sends these to the whole foreground group; a hang-up it sends to the session's leader alone.
_KEYS = frozenset({signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGWINCH})
_FROM_KERNEL = 0x80
_GROUP_SEND_S = 0.015
_LONGEST_ANSWER_S = 0.25
_HEARD = struct.Struct("=ii")
_ASK = signal.SIGRTMIN


class Arrived(NamedTuple):
    signal: int
    sender_pid: int
    sender_uid: int
    from_kernel: bool

    def recorded(self) -> SignalReceived:
        if self.from_kernel or not self.sender_pid:
            return SignalReceived(signal=self.signal, from_terminal=self.signal in _KEYS)
        sender = identity(self.sender_pid)
        return SignalReceived(
            signal=self.signal,
            sender_pid=self.sender_pid,
            sender_uid=self.sender_uid,
            sender_name=sender.command or sender.name or None,
        )


@contextlib.contextmanager
def blocked(taken: Collection[int] = TAKEN, discarded: Collection[int] = TAKEN) -> Iterator[Collection[int]]:
    """Block the signals that a supervisor takes, and give the mask that was there before, for the program. Of those
    that wait at the end, some are `discarded`."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, taken)
    # Someone may have started us with SIGCHLD ignored; then the kernel would keep no exit status for us.
    child_action = signal.getsignal(signal.SIGCHLD)
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        yield before
    finally:
        with contextlib.suppress(TypeError, ValueError):
            signal.signal(signal.SIGCHLD, child_action)
        with contextlib.suppress(OSError):
            while signal.sigtimedwait(discarded, 0) is not None:
                pass
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def wait(timeout_s: float) -> Arrived | None:
    """The next signal, or None after the time."""
    info = signal.sigtimedwait(TAKEN, max(0.0, timeout_s))
    if info is None:
        return None
    return Arrived(info.si_signo, info.si_pid, info.si_uid, info.si_code == _FROM_KERNEL)


class Canary:
    """A process in our group that hears what the group hears."""

    def __init__(self) -> None:
        self._read_fd, write_fd = os.pipe()
        supervisor = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            _listen(supervisor, write_fd)
        os.close(write_fd)
        os.set_blocking(self._read_fd, False)

    def heard(self, arrived: Arrived) -> bool:
        """Whether the canary got this signal from this sender too."""
        time.sleep(_GROUP_SEND_S)
        with contextlib.suppress(OSError):
            os.kill(self.pid, _ASK)
        give_up = time.monotonic() + _LONGEST_ANSWER_S
        found = False
        data = b""
        while time.monotonic() < give_up:
            select.select([self._read_fd], [], [], max(0.0, give_up - time.monotonic()))
            with contextlib.suppress(BlockingIOError):
                data += os.read(self._read_fd, 4096) or b"\0"
            while len(data) >= _HEARD.size:
                number, sender = _HEARD.unpack_from(data)
                data = data[_HEARD.size :]
                if number == _ASK:
                    return found
                found = found or (number, sender) == (arrived.signal, arrived.sender_pid)
        return found

    def end(self) -> None:
        with contextlib.suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(self.pid, 0)
        os.close(self._read_fd)


def group_already_told(arrived: Arrived, program_pid: int, canary: Canary | None) -> bool:
    """Whether the program got this signal without us."""
    try:
        if os.getpgid(program_pid) != os.getpgrp():
            return False
    except OSError:
        return True
    if arrived.from_kernel:
        return arrived.signal in _KEYS
    return canary is not None and canary.heard(arrived)


def _listen(supervisor: int, write_fd: int) -> NoReturn:
    try:
        keep = os.dup2(write_fd, 3) if write_fd != 3 else 3
        os.closerange(0, 3)
        os.closerange(4, 1024)
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        heard = {*TAKEN, _ASK} - {signal.SIGCHLD, signal.SIGCONT}
        while os.getppid() == supervisor:
            info = signal.sigtimedwait(heard, 1.0)
            if info is not None:
                os.write(keep, _HEARD.pack(info.si_signo, info.si_pid))
    finally:
        os._exit(0)
