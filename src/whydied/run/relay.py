"""Passes on what the program writes, at once and unchanged, and records it; runs in the parent, one thread a channel.

Invariant: a slow reader slows the program down as it would without us and never the supervisor; when the
reader is gone the program finds its pipe broken, as without us; when the program has ended, what it wrote is passed on
to the last byte. A descendant that keeps the pipe open is not waited for: a `cat` stays behind for it, see
`hand_over`.
"""

from __future__ import annotations

import contextlib
import os
import select
import stat
import threading
import time
import traceback
from collections.abc import Callable

from whydied.run.terminal import Terminal

CHUNK_BYTES = 32 * 1024
_QUIET_MS = 15
_LONGEST_DRAIN_S = 0.15
_NEWLINE_WAIT_MS = 2
_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL


class Relay:
    """Copies from `source_fd` to `target_fd` in a thread of its own. Owns `source_fd`."""

    def __init__(
        self,
        channel: str,
        source_fd: int,
        target_fd: int,
        record: Callable[[str, bytes], None],
        terminal: Terminal | None = None,
    ) -> None:
        self.channel = channel
        self.terminal = terminal
        self._source_fd = source_fd
        self._target_fd = target_fd
        self._record = record
        self._target_is_pipe = is_pipe(target_fd)
        self._wake_read, self._wake_write = os.pipe()
        self._ending = False
        self._exhausted = False
        self.error: str | None = None
        self._idle = threading.Event()
        # The main thread follows the terminal too, and must not find another file under a number that was closed.
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name=f"relay-{channel}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def settle(self, longest_s: float) -> None:
        """Wait until all that was written so far is passed on, for at most this long."""
        self._idle.clear()
        self._wake()
        self._idle.wait(longest_s)

    def follow_terminal(self) -> bool:
        """Carry settings and size between the two terminals; true if the size changed."""
        with self._lock:
            if self.terminal is None or self._exhausted:
                return False
            self.terminal.copy_settings()
            return self.terminal.copy_size()

    def end(self) -> None:
        """The program has ended: pass on what is there, then stop."""
        self._ending = True
        self._wake()

    def join(self, timeout_s: float) -> bool:
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def hand_over(self) -> bool:
        """After `join`: if descendants still hold the other end, leave a `cat` behind, so that their next write does
        not kill them; true if one was needed. Into a terminal or a file it copies on. Into a pipe it copies nothing:
        whoever waits for the end of that pipe waits for us, not for the descendant, whose later words are lost."""
        if self._exhausted:
            os.close(self._wake_read)
            os.close(self._wake_write)
            return False
        if self.terminal:
            self.terminal.leave_to_others()
        outputs: list[tuple[int, ...]] = [] if self._target_is_pipe else [(os.POSIX_SPAWN_DUP2, self._target_fd, 1)]
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        if self._target_is_pipe:
            outputs.append((os.POSIX_SPAWN_DUP2, null, 1))
        with contextlib.suppress(OSError):
            os.posix_spawn(
                "/bin/cat",
                ["cat"],
                {},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, self._source_fd, 0),
                    *outputs,
                    (os.POSIX_SPAWN_DUP2, null, 2),
                ],
                setsid=True,
                setsigmask=[],
            )
        for fd in (null, self._source_fd, self._wake_read, self._wake_write):
            os.close(fd)
        return True

    def _wake(self) -> None:
        with contextlib.suppress(OSError):
            os.write(self._wake_write, b".")

    def _run(self) -> None:
        try:
            self._copy()
        except Exception:
            # Recording can fail in ways that we did not think of; the output must go on.
            self.error = traceback.format_exc()
            self._copy_plainly()

    def _copy_plainly(self) -> None:
        while not self._exhausted:
            try:
                data = os.read(self._source_fd, CHUNK_BYTES)
                if data:
                    self._write(self.terminal.restore(data) if self.terminal else data)
                    continue
            except OSError:
                pass
            self._stop_source()

    def _copy(self) -> None:
        poller = select.poll()
        poller.register(self._source_fd, select.POLLIN)
        poller.register(self._wake_read, select.POLLIN)
        if self._target_is_pipe:
            poller.register(self._target_fd, 0)
        try:
            while not self._ending:
                ready = dict(poller.poll(0))
                if not ready:
                    self._idle.set()
                    ready = dict(poller.poll())
                if self._wake_read in ready:
                    os.read(self._wake_read, CHUNK_BYTES)
                if ready.get(self._target_fd, 0) & _GONE:
                    self._stop_source()
                    return
                if self._source_fd in ready and not self._pass_on():
                    return
            self._drain()
        finally:
            self._idle.set()

    def _drain(self) -> None:
        poller = select.poll()
        poller.register(self._source_fd, select.POLLIN)
        give_up = time.monotonic() + _LONGEST_DRAIN_S
        while poller.poll(_QUIET_MS) and self._pass_on():
            if time.monotonic() > give_up:
                return

    def _pass_on(self) -> bool:
        """One chunk from the program to its reader; false when there will be no more."""
        try:
            data = os.read(self._source_fd, CHUNK_BYTES)
        except OSError:
            # EIO: nobody has the program's side of the pseudo-terminal open any more.
            data = b""
        if not data:
            self._stop_source()
            return False
        if self.terminal:
            with self._lock:
                self.terminal.copy_settings()
            # After a "\r" of the program's own the next byte may be a first half again.
            while self.terminal.splits_newline(data) and (more := self._second_half()):
                data += more
            data = self.terminal.restore(data)
        try:
            self._write(data)
        except OSError:
            self._stop_source()
            return False
        finally:
            self._record(self.channel, data)
        return True

    def _second_half(self) -> bytes:
        poller = select.poll()
        poller.register(self._source_fd, select.POLLIN)
        if poller.poll(_NEWLINE_WAIT_MS):
            with contextlib.suppress(OSError):
                return os.read(self._source_fd, 1)
        return b""

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._target_fd, view) :]
            except BlockingIOError:
                # Someone made the shared file non-blocking; the program itself would have had to wait here too.
                poller = select.poll()
                poller.register(self._target_fd, select.POLLOUT)
                poller.poll()

    def _stop_source(self) -> None:
        with self._lock:
            if self.terminal:
                self.terminal.copy_settings()
            self._exhausted = True
            os.close(self._source_fd)


def is_pipe(fd: int) -> bool:
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
