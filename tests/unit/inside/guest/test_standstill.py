"""While a thread of ours looks, the main thread stands still between two byte codes; and signals, forks and long C
calls find everything as it was."""

from __future__ import annotations

import _thread
import os
import signal
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

from whydied.inside.guest import standstill

pytestmark = pytest.mark.skipif(not hasattr(os, "eventfd"), reason="Linux alone has it")


class Beats:
    """What the main thread does meanwhile, and what the other thread did."""

    def __init__(self) -> None:
        self.count = 0
        self.done = False
        self.failed: list[BaseException] = []

    def aside(self, work: Callable[[], object]) -> None:
        def run() -> None:
            try:
                work()
            except BaseException as error:
                self.failed.append(error)
            finally:
                self.done = True

        _thread.start_new_thread(run, ())

    def until_done(self) -> None:
        limit = time.monotonic() + 20
        while not self.done and time.monotonic() < limit:
            self.count += 1
        assert self.done
        if self.failed:
            raise self.failed[0]


@pytest.fixture
def beats() -> Iterator[Beats]:
    yield Beats()
    if standstill._gate is not None:
        # Leave no call for the next test.
        limit = time.monotonic() + 5
        while standstill._gate._asked != len(standstill._gate._answered):
            assert time.monotonic() < limit


def _spin(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def test_the_main_thread_stands_still_and_goes_on(beats: Beats) -> None:
    moved: list[int] = []

    def look() -> None:
        for _ in range(20):
            with standstill.of_main_thread():
                before = beats.count
                _spin(0.02)
                moved.append(beats.count - before)
            time.sleep(0.002)

    beats.aside(look)
    beats.until_done()
    # Not each time: on a busy machine the main thread may come too late to be waited for.
    assert moved.count(0) >= 18
    assert beats.count > 1000


def test_it_does_not_wait_for_ever(beats: Beats, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standstill, "LONGEST_S", 0.05)
    moved: list[int] = []

    def look() -> None:
        with standstill.of_main_thread():
            before = beats.count
            time.sleep(0.5)
            moved.append(beats.count - before)

    beats.aside(look)
    beats.until_done()
    assert moved[0] > 1000


def test_nobody_waits_for_a_main_thread_in_c_code_and_only_one_call_is_left(beats: Beats) -> None:
    took: list[float] = []

    def look() -> None:
        for _ in range(50):
            before = time.monotonic()
            with standstill.of_main_thread():
                took.append(time.monotonic() - before)

    beats.aside(look)
    before = time.monotonic()
    time.sleep(1.5)
    slept = time.monotonic() - before
    assert beats.done
    beats.until_done()
    assert len(took) == 50
    assert sum(took) < 50 * 5 * standstill.STOPS_WITHIN_S
    assert slept < 1.5 + standstill.LONGEST_S


class _Alarm(Exception):
    pass


def test_a_signal_ends_the_wait_and_is_handled_in_the_programs_own_frame(beats: Beats) -> None:
    handled: list[str] = []

    def handle(number: int, frame: FrameType | None) -> None:
        handled.append(frame.f_code.co_name if frame is not None else "")
        raise _Alarm("of the program", 7)

    def look() -> None:
        first = beats.count
        while beats.count == first:
            # The main thread has not come to its loop yet.
            time.sleep(0.001)
        with standstill.of_main_thread():
            _spin(0.01)
            os.kill(os.getpid(), signal.SIGUSR1)
            time.sleep(0.2)

    before: Any = signal.signal(signal.SIGUSR1, handle)
    try:
        beats.aside(look)
        with pytest.raises(_Alarm) as raised:
            beats.until_done()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert raised.value.args == ("of the program", 7)
    assert handled == ["until_done"]
    beats.until_done()


def test_code_of_ours_is_not_stopped(beats: Beats) -> None:
    moved: list[int] = []

    def look() -> None:
        time.sleep(0.05)
        with standstill.of_main_thread():
            before = beats.count
            time.sleep(0.1)
            moved.append(beats.count - before)

    beats.aside(look)
    inside: dict[str, Any] = {"__name__": "whydied.inside.somewhere", "beats": beats}
    exec("def run():\n    beats.until_done()", inside)
    inside["run"]()
    assert moved[0] > 1000


def test_the_main_thread_itself_may_look(beats: Beats) -> None:
    with standstill.of_main_thread():
        beats.count += 1
    assert beats.count == 1


def test_two_that_look_do_not_wait_for_each_other(beats: Beats) -> None:
    ended: list[int] = []

    def look() -> None:
        for _ in range(30):
            with standstill.of_main_thread():
                _spin(0.001)
        ended.append(_thread.get_ident())

    for _ in range(2):
        beats.aside(look)
    limit = time.monotonic() + 20
    while len(ended) < 2 and time.monotonic() < limit:
        beats.count += 1
    assert len(ended) == 2
    assert not beats.failed


def test_a_fork_in_the_middle_has_nobody_to_wait_for(beats: Beats) -> None:
    """The thread that looks forks: what is the main thread in the child would wait for a thread that is not there."""
    status: list[int] = []

    def look() -> None:
        with standstill.of_main_thread():
            child = os.fork()
            if child == 0:
                standstill.after_fork_in_child()
                before = time.monotonic()
                _spin(0.01)
                os._exit(0 if time.monotonic() - before < standstill.LONGEST_S else 1)
            status.append(os.waitpid(child, 0)[1])

    beats.aside(look)
    beats.until_done()
    assert status == [0]
