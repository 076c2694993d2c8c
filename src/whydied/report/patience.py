"""Tells a person at a terminal what takes so long. Runs in the parent.

Invariant: what is done within two seconds shows nothing; the line that is shown is taken away again, because what is
printed then is what counts; where nobody watches, nothing is written. The thread that draws takes no signal: Ctrl-C
belongs to whoever works.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import IO

from whydied.report import plain

QUIET_S = 2.0
"""Before anything is shown."""
_EVERY_S = 1.0


def is_watched(stream: IO[str] | None) -> bool:
    with contextlib.suppress(OSError, ValueError):
        return stream is not None and stream.isatty()
    return False


class Patience:
    """What is shown while something goes on. `tells` says what it is, and how far it has come."""

    def __init__(self, words: str, stream: IO[str] | None) -> None:
        self.words = words
        self._stream = stream
        self._dumb = os.environ.get("TERM", "dumb") in ("dumb", "unknown", "")
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._began_s = time.monotonic()
        self._shown = False

    def tells(self, words: str) -> None:
        self.words = words

    def begin(self) -> None:
        if not is_watched(self._stream):
            return
        self._thread = threading.Thread(target=self._watch, name="whydied-patience", daemon=True)
        with _signals_blocked():
            self._thread.start()

    def end(self) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        if self._shown and not self._dumb:
            self._write("\r\x1b[2K")

    def _watch(self) -> None:
        if self._ended.wait(QUIET_S):
            return
        self._shown = True
        if self._dumb:
            # A line cannot be drawn over there.
            self._write(f"whydied: {self.words}\n")
            return
        while not self._ended.is_set():
            passed = int(time.monotonic() - self._began_s)
            self._write(f"\r\x1b[2K{self._fitted(f'whydied: {self.words} ({passed} s)')}")
            self._ended.wait(_EVERY_S)

    def _fitted(self, line: str) -> str:
        columns = 80
        with contextlib.suppress(OSError, ValueError, AttributeError):
            columns = os.get_terminal_size(self._stream.fileno()).columns or columns  # type: ignore[union-attr]
        shown = plain.spelled(line, getattr(self._stream, "encoding", None) or "ascii")
        # A line that fills the last column would be two lines, of which the first could not be taken away.
        return shown[: columns - 1]

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            if self._stream is not None:
                self._stream.write(text)
                self._stream.flush()


@contextlib.contextmanager
def _signals_blocked() -> Iterator[None]:
    """A thread that begins inside is never interrupted; some systems interrupt only the first one anyway."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_going: list[Patience] = []


@contextlib.contextmanager
def patience(words: str, stream: IO[str] | None = None) -> Iterator[Patience]:
    """Shows what goes on inside, if that takes long; on stderr. Within another one it lends that its words."""
    if _going:
        outer = _going[-1]
        before = outer.words
        outer.tells(words)
        try:
            yield outer
        finally:
            outer.tells(before)
        return
    fresh = Patience(words, stream if stream is not None else sys.stderr)
    _going.append(fresh)
    fresh.begin()
    try:
        yield fresh
    finally:
        _going.remove(fresh)
        fresh.end()
