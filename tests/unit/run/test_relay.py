"""Bytes in, bytes out, whatever happens around them."""

from __future__ import annotations

import os
import termios
import threading
from pathlib import Path

import pytest

from tests import session
from whydied.run import stdio
from whydied.run.relay import Relay
from whydied.run.terminal import Terminal


def ignore(_channel: str, _data: bytes) -> None:
    pass


def fail(_channel: str, _data: bytes) -> None:
    raise RuntimeError("a bug of ours")


@pytest.mark.parametrize("record", [ignore, fail])
def test_all_bytes_pass(tmp_path: Path, record: object) -> None:
    """Even if recording fails in a way that nobody thought of."""
    source, theirs = os.pipe()
    with open(tmp_path / "out", "wb") as out:
        relay = Relay("stderr", source, out.fileno(), record)  # type: ignore[arg-type]
        relay.start()
        data = os.urandom(500_000)
        with open(theirs, "wb") as writer:
            writer.write(data)
        relay.end()
        assert relay.join(session.PATIENCE_S)
        relay.hand_over()
    assert (tmp_path / "out").read_bytes() == data
    assert (relay.error is not None) == (record is fail)


def test_slow_reader_slows_the_writer_and_loses_nothing() -> None:
    source, theirs = os.pipe()
    reader, target = os.pipe()
    relay = Relay("stderr", source, target, ignore)
    relay.start()
    data = os.urandom(1_000_000)

    def write() -> None:
        with open(theirs, "wb") as writer:
            writer.write(data)

    writing = threading.Thread(target=write)
    writing.start()
    got = b""
    while len(got) < len(data):
        got += os.read(reader, 4096)
    writing.join()
    relay.end()
    assert relay.join(session.PATIENCE_S)
    relay.hand_over()
    assert got == data
    os.close(reader)
    os.close(target)


def test_reader_that_went_away_breaks_the_pipe() -> None:
    source, theirs = os.pipe()
    reader, target = os.pipe()
    relay = Relay("stdout", source, target, ignore)
    relay.start()
    os.close(reader)
    assert relay.join(session.PATIENCE_S)
    with pytest.raises(BrokenPipeError):
        os.write(theirs, b"x")
    relay.hand_over()
    os.close(theirs)
    os.close(target)


@pytest.fixture
def real() -> object:
    master, slave = os.openpty()
    yield slave
    os.close(master)
    os.close(slave)


def test_restore_is_the_inverse_of_the_terminal(real: int) -> None:
    terminal = Terminal(real)
    for written in (b"a\nb", b"a\r\nb", b"\r\r\n\n", b"\n" * 5, b"\r", b"\x1b[31m\t\n"):
        os.write(terminal.slave_fd, written)
        shown = b""
        while terminal.restore(shown) != written:
            shown += os.read(terminal.master_fd, 4096)
            assert len(shown) <= 2 * len(written)
    os.close(terminal.master_fd)
    os.close(terminal.slave_fd)


def test_output_processing_that_cannot_be_undone_is_left_to_the_real_terminal(real: int) -> None:
    settings = termios.tcgetattr(real)
    settings[1] |= termios.TAB3
    termios.tcsetattr(real, termios.TCSANOW, settings)
    terminal = Terminal(real)
    os.write(terminal.slave_fd, b"a\tb\n")
    assert terminal.restore(os.read(terminal.master_fd, 100)) == b"a\tb\n"
    os.close(terminal.master_fd)
    os.close(terminal.slave_fd)


def test_without_pseudo_terminals_the_program_gets_the_terminal(real: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left() -> tuple[int, int]:
        raise OSError(28, "no pseudo-terminal left")

    monkeypatch.setattr(os, "openpty", none_left)
    saved = [os.dup(1), os.dup(2)]
    try:
        os.dup2(real, 1)
        os.dup2(real, 2)
        connected = stdio.connect(frozenset(), ignore)
    finally:
        for fd, copy in enumerate(saved, 1):
            os.dup2(copy, fd)
            os.close(copy)
    assert (connected.child_fds[1:], connected.relays) == ((1, 2), ())
