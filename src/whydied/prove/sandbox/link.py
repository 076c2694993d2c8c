"""What the processes on the way into a sandbox tell the guardian, and it them: lines through two pipes.

Invariant: the ends close with the execution of the program, so it inherits none of them.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator

_LONGEST = 2000


class Link:
    def __init__(self) -> None:
        self._read, self._say = os.pipe()
        self._hear, self._tell = os.pipe()
        self._rest = b""

    # Of the guardian

    def is_guardian(self) -> None:
        os.close(self._say)
        os.close(self._hear)

    def tell(self, word: str) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self._tell, f"{word}\n".encode())

    def lines(self) -> Iterator[tuple[str, str]]:
        """What is said, as a kind and a text, until nobody is left who could."""
        while data := os.read(self._read, 4096):
            *whole, self._rest = (self._rest + data).split(b"\n")
            for line in whole:
                kind, _, text = line.decode("utf-8", "replace").partition(" ")
                yield kind, text

    # Of those inside

    def is_inside(self) -> None:
        os.close(self._read)
        os.close(self._tell)

    def say(self, line: str) -> None:
        text = line.replace("\n", " ").encode("utf-8", "surrogateescape")[:_LONGEST]
        with contextlib.suppress(BrokenPipeError):
            os.write(self._say, text + b"\n")

    def note(self, text: str) -> None:
        self.say(f"note {text}")

    def await_word(self, word: str) -> None:
        if os.read(self._hear, 100).decode().strip() != word:
            raise OSError(0, "the guardian of the sandbox is gone")

    def guarded(self, act: Callable[[], None]) -> None:
        """Say why something failed."""
        try:
            act()
        except OSError as error:
            self.say(f"error {error.strerror or error}")
        except BaseException as error:
            self.say(f"error {error!r}")

    def close(self) -> None:
        os.close(self._say)
        os.close(self._hear)
