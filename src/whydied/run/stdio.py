"""What the program's standard streams are connected to; runs in the parent.

    stdout and stderr                         the program gets
    one terminal                              one pseudo-terminal for both
    one pipe, file or device                  one pipe for both
    two places                                stderr: a pseudo-terminal if it is a terminal, else a pipe;
                                              stdout: a pipe if it is a pipe or a socket, else the very same file

Standard input is always the very same. Invariant: `isatty` of every stream is as without us, and the order of
bytes is kept within a stream, and across the two where they go to one place. What goes to standard output alone is not
recorded: it is the program's result, not its last words.
"""

from __future__ import annotations

import os
import termios
from collections.abc import Callable, Collection
from typing import NamedTuple

from whydied.run.relay import Relay, is_pipe
from whydied.run.terminal import Terminal

RECORDED = ("stderr", "both")


class Stdio(NamedTuple):
    """`child_fds` is what the program gets as its descriptors 0, 1 and 2: ours of that number, or another; None is
    closed. `to_close` are our copies of its ends."""

    child_fds: tuple[int | None, int | None, int | None]
    to_close: tuple[int, ...]
    relays: tuple[Relay, ...]


def occupy() -> frozenset[int]:
    """Standard descriptors that were closed when we started. They are filled, so that no file of ours lands there:
    to be called before any is opened."""
    closed = {fd for fd in (0, 1, 2) if not _is_open(fd)}
    for fd in sorted(closed):
        null = os.open(os.devnull, os.O_RDWR)
        if null != fd:
            os.dup2(null, fd)
            os.close(null)
    return frozenset(closed)


def connect(closed: Collection[int], record: Callable[[str, bytes], None]) -> Stdio:
    """Make the pipes and pseudo-terminals for a program that is about to start. `closed` is what `occupy` found."""
    channels: list[_Channel] = []
    children: list[int | None] = [None if fd in closed else fd for fd in (0, 1, 2)]
    if not {1, 2} & set(closed) and os.path.sameopenfile(1, 2):
        wanted: list[tuple[str, int, tuple[int, ...]]] = [("both", 1, (1, 2))]
    else:
        wanted = [("stdout", 1, (1,))] if 1 not in closed and is_pipe(1) else []
        wanted += [("stderr", 2, (2,))] if 2 not in closed else []
    for name, fd, targets in wanted:
        channel = _channel(name, fd, record)
        if channel is None:
            continue
        channels.append(channel)
        for target in targets:
            children[target] = channel.their_fd
    return Stdio(
        (children[0], children[1], children[2]),
        tuple(channel.their_fd for channel in channels),
        tuple(channel.relay for channel in channels),
    )


class _Channel(NamedTuple):
    their_fd: int
    relay: Relay


def _channel(name: str, fd: int, record: Callable[[str, bytes], None]) -> _Channel | None:
    """None where the system has no pseudo-terminal for us: then the program gets the terminal itself."""
    if os.isatty(fd):
        try:
            terminal = Terminal(fd)
        except (OSError, termios.error):
            return None
        return _Channel(terminal.slave_fd, Relay(name, terminal.master_fd, fd, record, terminal))
    ours, theirs = os.pipe()
    return _Channel(theirs, Relay(name, ours, fd, record))


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True
