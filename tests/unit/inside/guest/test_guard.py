"""Whose an error is that comes up in our code."""

from __future__ import annotations

import functools
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

from whydied.inside import journal
from whydied.inside.guest import frameless, guard, live_source
from whydied.records import InternalError, Record

cleanly = pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 keeps the traceback of a bare raise")


@pytest.fixture
def reported() -> Iterator[list[Record]]:
    found: list[Record] = []
    guard.forget()
    guard.report_to(found.append)
    yield found
    guard.report_to(None)
    guard.forget()


class Object:
    def __call__(self, number: int, frame: object) -> None:
        raise TimeoutError("object")

    def method(self, number: int, frame: object) -> None:
        raise TimeoutError("method")


def plain(number: int, frame: object) -> None:
    raise TimeoutError("plain")


def collecting(*args: object) -> None:
    raise TimeoutError("collecting")


def forgetful(number: int, frame: object) -> None:
    del frame
    raise TimeoutError("forgetful")


def resetting(number: int, frame: object) -> None:
    signal.signal(number, signal.SIG_IGN)
    deeper()


def deeper() -> None:
    raise TimeoutError("deeper")


HANDLERS = [plain, collecting, forgetful, resetting, Object(), Object().method, functools.partial(plain)]


@pytest.fixture(params=HANDLERS, ids=lambda handler: getattr(handler, "__name__", type(handler).__name__))
def handled(request: pytest.FixtureRequest) -> Iterator[None]:
    former = signal.signal(signal.SIGUSR1, request.param)
    yield
    signal.signal(signal.SIGUSR1, former)


@guard.guarded("test.interrupted")
def interrupted(*_: Any) -> None:
    signal.raise_signal(signal.SIGUSR1)


def _names(error: BaseException) -> list[str]:
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]


def _target() -> int:
    return 7


def _before() -> None:
    frameless.Before(_target, lambda frame: interrupted())()


def _final() -> None:
    frameless.Final(_target, interrupted)()


def _method() -> None:
    class Machine:
        def run(self) -> None:
            pass

    frameless.before_method(Machine, "run", interrupted)
    Machine().run()


@pytest.mark.parametrize("hooked", [interrupted, _before, _final, _method])
def test_what_a_signal_handler_raises_goes_on(
    hooked: Callable[[], None], handled: None, reported: list[Record]
) -> None:
    with pytest.raises(TimeoutError):
        hooked()
    assert reported == []


@cleanly
@pytest.mark.parametrize("hooked", [_before, _final, _method])
def test_without_frames_of_ours(hooked: Callable[[], None]) -> None:
    former = signal.signal(signal.SIGUSR1, plain)
    try:
        with pytest.raises(TimeoutError) as caught:
            hooked()
    finally:
        signal.signal(signal.SIGUSR1, former)
    assert _names(caught.value)[1:] == [hooked.__name__, "plain"]


def test_what_a_trace_function_raises_goes_on(reported: list[Record]) -> None:
    def trace(frame: FrameType, event: str, arg: object) -> None:
        if frame.f_code.co_name == "watched":
            raise TimeoutError

    @guard.guarded("test.traced")
    def watched() -> None:
        pass

    former = sys.gettrace()
    sys.settrace(trace)
    try:
        with pytest.raises(TimeoutError):
            watched()
    finally:
        sys.settrace(former)
    assert reported == []


def test_our_own_error_stays(reported: list[Record]) -> None:
    def calls_back(value: object) -> None:
        raise ValueError("the password=hunter22 was wrong")

    @guard.guarded("test.ours")
    def ours() -> None:
        calls_back(3)

    former = signal.signal(signal.SIGUSR1, plain)
    try:
        ours()
        frameless.Before(_target, calls_back)()
    finally:
        signal.signal(signal.SIGUSR1, former)
    (record,) = reported
    assert isinstance(record, InternalError)
    assert record.error == "ValueError: the password=<redacted> was wrong"


def test_a_timeout_is_no_unreadable_file_and_no_full_disk(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, reported: list[Record]
) -> None:
    """TimeoutError is an OSError, which these two expect from the system."""
    (tmp_path / "streams").mkdir()
    owner = journal.Journal(str(tmp_path))
    monkeypatch.setattr(live_source, "read", interrupted)
    monkeypatch.setattr(owner._stream, "write", interrupted)
    former = signal.signal(signal.SIGUSR1, plain)
    try:
        with pytest.raises(TimeoutError):
            live_source.span(str(tmp_path / "any.py"), 1)
        with pytest.raises(TimeoutError):
            owner.write(InternalError(where="", error="", traceback=""))
    finally:
        signal.signal(signal.SIGUSR1, former)
    assert reported == []
