"""Programs as people start them: from a terminal, from a pipe, from a shell with job control. Real processes only.

Everything started here is ended here, and nothing waits longer than `PATIENCE_S`.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from whydied.places import RunDirectory, list_runs
from whydied.read.reader import read_streams
from whydied.records import Record

PATIENCE_S = 60.0
SIZE = (31, 97)


def whydied_run(runs: Path, *words: str | Path) -> list[str]:
    """The command line that runs a program under whydied, quietly."""
    return [sys.executable, "-m", "whydied", "run", "--quiet", "--runs", str(runs), *map(str, words)]


def records(runs: Path, kind: type[Record] | None = None) -> list[Record]:
    """What was recorded in the only run of a directory, the supervisor's stream first."""
    (run,) = list_runs(runs)
    return records_of(run, kind)


def records_of(run: RunDirectory, kind: type[Record] | None = None) -> list[Record]:
    streams = sorted(read_streams(run.streams), key=lambda stream: stream.name != "supervisor")
    found = [entry.record for stream in streams for entry in stream.entries]
    return [record for record in found if kind is None or isinstance(record, kind)]


def wait_until(condition: Callable[[], object], what: str) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < give_up, f"waited in vain for {what}"
        time.sleep(0.01)


def state_of(pid: int) -> str:
    """R, S, T, Z … or an empty string for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


class TerminalSession:
    """A command that runs as the leader of a session with a terminal of its own, which we hold the other side of."""

    def __init__(
        self,
        argv: Sequence[str],
        cwd: Path,
        *,
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
        environment: dict[str, str] | None = None,
    ) -> None:
        self.master_fd, slave = os.openpty()
        fcntl.ioctl(self.master_fd, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        # The kernel signals first and then throws away what is on its way to the screen: on a busy machine that can be
        # the very words that a test waits for.
        settings = termios.tcgetattr(slave)
        settings[3] |= termios.NOFLSH
        termios.tcsetattr(slave, termios.TCSANOW, settings)
        self.output = b""

        def own_terminal() -> None:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=environment or {**os.environ, "TERM": "xterm"},
            stdin=slave if stdin is None else stdin,
            stdout=slave if stdout is None else stdout,
            stderr=slave if stderr is None else stderr,
            pass_fds=[slave],
            preexec_fn=own_terminal,
        )
        os.close(slave)

    def read(self, timeout_s: float = 0.05) -> bool:
        """Take what is on the screen; false when the terminal has ended."""
        if not select.select([self.master_fd], [], [], timeout_s)[0]:
            return True
        try:
            data = os.read(self.master_fd, 65536)
        except OSError:
            return False
        self.output += data
        return bool(data)

    def expect(self, text: bytes) -> None:
        def seen() -> bool:
            self.read()
            return text in self.output

        try:
            wait_until(seen, f"{text!r} on the screen")
        except AssertionError as error:
            raise AssertionError(f"{error}, which shows {self.output[-2000:]!r}") from None

    def type(self, keys: bytes) -> None:
        os.write(self.master_fd, keys)

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.master_fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def finish(self) -> int:
        """Read to the end; the exit status."""
        give_up = time.monotonic() + PATIENCE_S
        while self.read() and time.monotonic() < give_up:
            if self.process.poll() is not None and not select.select([self.master_fd], [], [], 0.1)[0]:
                break
        return self.process.wait(PATIENCE_S)

    def close(self) -> None:
        if self.process.poll() is None:
            with contextlib.suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(PATIENCE_S)
        with contextlib.suppress(OSError):
            os.close(self.master_fd)


@contextlib.contextmanager
def terminal(argv: Sequence[str], cwd: Path, **streams: int | None) -> Iterator[TerminalSession]:
    session = TerminalSession(argv, cwd, **streams)  # type: ignore[arg-type]
    try:
        yield session
    finally:
        session.close()


@contextlib.contextmanager
def started(argv: Sequence[str], cwd: Path, **options: object) -> Iterator[subprocess.Popen[bytes]]:
    """A command in a process group of its own, with pipes; ended whatever happens."""
    process = subprocess.Popen(
        argv,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        **options,  # type: ignore[call-overload]
    )
    try:
        yield process
    finally:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def read_line(process: subprocess.Popen[bytes]) -> bytes:
    """A line of its output, byte by byte: what a buffer has taken, `select` does not see."""
    assert process.stdout is not None
    line = b""
    while not line.endswith(b"\n"):
        assert select.select([process.stdout], [], [], PATIENCE_S)[0], f"the program said no more than {line!r}"
        byte = os.read(process.stdout.fileno(), 1)
        if not byte:
            break
        line += byte
    return line
