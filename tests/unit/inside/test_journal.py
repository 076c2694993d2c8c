from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from whydied import wire
from whydied.inside import journal
from whydied.inside.guest import guard
from whydied.records import HandlerSet, InternalError, Record, RecorderLimited


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[journal.Journal]:
    (tmp_path / "streams").mkdir()
    guard.forget()
    yield journal.open_journal(str(tmp_path))
    journal.close()
    guard.forget()


def _records(run: str) -> list[Record]:
    found: list[Record] = []
    for path in sorted((Path(run) / "streams").glob("*.rec")):
        segment = wire.read_segment(path.read_bytes())
        assert segment.torn is None
        found += [entry.record for entry in segment.entries]
    return found


def test_a_write_that_interrupts_a_write_waits_in_line(owner: journal.Journal) -> None:
    inner = owner._stream.write
    nested = [2, 3]

    def interrupted(record: Record) -> None:
        if nested:
            owner.write(HandlerSet(signal=nested.pop(0), action="nested"))
        inner(record)

    owner._stream.write = interrupted  # type: ignore[method-assign]
    owner.write(HandlerSet(signal=1, action="outer"))
    assert [record.signal for record in _records(owner.run) if isinstance(record, HandlerSet)] == [1, 2, 3]


def test_finalisers_that_write_in_the_middle_of_a_write(owner: journal.Journal) -> None:
    class Noisy:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            journal.write(HandlerSet(signal=9, action="late"))

    before = gc.get_threshold()
    gc.set_threshold(5)
    try:
        for n in range(500):
            Noisy()
            owner.write(HandlerSet(signal=n % 60, action="n" * (n % 50)))
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert len(_records(owner.run)) == 1000


def test_threads_share_a_journal(owner: journal.Journal) -> None:
    def work(n: int) -> None:
        for _ in range(200):
            owner.write(HandlerSet(signal=n, action="x" * n))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(_records(owner.run)) == 800


def test_a_stream_that_cannot_grow_says_so_once(owner: journal.Journal) -> None:
    owner.write(HandlerSet(signal=1, action="first"))

    def full(record: Record) -> None:
        if isinstance(record, RecorderLimited):
            return real(record)
        raise OSError(28, "No space left on device")

    real = owner._stream.write
    owner._stream.write = full  # type: ignore[method-assign]
    for _ in range(3):
        owner._paused_until = {True: 0, False: 0}
        owner.write(HandlerSet(signal=2, action="lost"))
    owner._paused_until = {True: 0, False: 0}
    owner._stream.write = real  # type: ignore[method-assign]
    assert [record for record in _records(owner.run) if isinstance(record, InternalError)] == []


def test_a_record_that_is_too_large_is_our_error(owner: journal.Journal) -> None:
    owner.write(HandlerSet(signal=1, action="x" * 100_000))
    (error,) = _records(owner.run)
    assert isinstance(error, InternalError)
    assert error.where == "journal.write"


class Lock:
    """The real lock, with a say in what happens right after it was taken."""

    def __init__(self, real: Any) -> None:
        self.real = real
        self.interrupts = 0
        self.waits: list[float] = []

    def acquire(self, timeout: float) -> bool:
        self.waits.append(timeout)
        taken: bool = self.real.acquire(timeout=min(timeout, 0.01))
        if self.interrupts:
            self.interrupts -= 1
            raise KeyboardInterrupt
        return taken

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


def test_an_interrupt_right_after_the_lock_was_taken_gives_it_back(owner: journal.Journal) -> None:
    owner._lock = lock = Lock(owner._lock)
    lock.interrupts = 1
    with pytest.raises(KeyboardInterrupt):
        owner.write(HandlerSet(signal=1, action="interrupted"))
    thread = threading.Thread(target=owner.write, args=(HandlerSet(signal=2, action="later"),))
    thread.start()
    thread.join()
    assert [record.signal for record in _records(owner.run) if isinstance(record, HandlerSet)] == [2]


def test_a_lock_that_stays_taken_is_waited_for_once(owner: journal.Journal) -> None:
    owner._lock = lock = Lock(owner._lock)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with lock.real:
            held.set()
            done.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(60)
    for _ in range(3):
        owner.write(HandlerSet(signal=1, action="lost"))
    done.set()
    thread.join()
    owner.write(HandlerSet(signal=2, action="free"))
    owner.write(HandlerSet(signal=3, action="free"))
    assert [wait > 0 for wait in lock.waits] == [True, False, False, False, True]
    assert [record.signal for record in _records(owner.run) if isinstance(record, HandlerSet)] == [2, 3]
