from __future__ import annotations

import copy
import functools
import inspect
import pickle
import sys
import threading
import traceback
import types
from types import FrameType
from typing import Any

import pytest

from whydied.inside.guest import frameless


def target(a: int, *, b: int = 1) -> int:
    """Divide."""
    return a // b


class Machine:
    def __init__(self, size: int) -> None:
        self.size = 100 // size

    def run(self, steps: int) -> int:
        return steps // (self.size - 100)


def test_a_hooked_function_has_the_callers_frame_and_the_same_results() -> None:
    seen: list[str] = []
    hook = frameless.Before(target, lambda frame: seen.append(frame.f_code.co_name))
    assert hook(7, b=2) == 3
    assert seen == ["test_a_hooked_function_has_the_callers_frame_and_the_same_results"]
    assert inspect.signature(hook) == inspect.signature(target)
    assert (hook.__name__, hook.__doc__, hook.__code__) == ("target", "Divide.", target.__code__)
    assert repr(hook) == repr(target)
    assert copy.deepcopy(hook) is hook


def test_the_traceback_is_that_of_the_original() -> None:
    def lines(function: Any) -> list[str]:
        try:
            function(1, b=0)
        except ZeroDivisionError as error:
            return [frame.name for frame in traceback.extract_tb(error.__traceback__)]
        raise AssertionError

    hook = frameless.Before(target, lambda frame: None)
    assert lines(hook) == lines(target) == ["lines", "target"]


def test_a_failing_hook_is_as_if_it_were_not_there() -> None:
    def fail(*_: Any) -> None:
        raise ValueError

    assert frameless.Before(target, fail)(4, b=2) == 2
    with pytest.raises(SystemExit):
        frameless.Final(sys.exit, fail)(3)


def test_an_interrupt_in_a_hook_goes_on_without_our_frames() -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        frameless.Before(target, interrupt)(1)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    expected = ["test_an_interrupt_in_a_hook_goes_on_without_our_frames"]
    assert names == expected if sys.version_info >= (3, 11) else names[:1] == expected


def test_a_hooked_method() -> None:
    class Local(Machine):
        pass

    seen: list[tuple[type, str]] = []

    def work(instance: Any, frame: FrameType) -> None:
        seen.append((type(instance), frame.f_code.co_name))

    original = Machine.__dict__["run"]
    frameless.before_method(Local, "run", work)
    frameless.before_method(Local, "run", work)
    try:
        assert Machine.run is original
        assert isinstance(Local(1).run, types.MethodType)
        seen.clear()
        with pytest.raises(ZeroDivisionError) as caught:
            Local(1).run(3)
        assert seen == [(Local, "test_a_hooked_method")]
        assert len(traceback.extract_tb(caught.value.__traceback__)) == 2
    finally:
        Machine.run = original  # type: ignore[method-assign]
    with pytest.raises(AttributeError):
        frameless.before_method(Machine, "fly", work)


def test_a_final_call_is_seen_with_its_arguments() -> None:
    seen: list[Any] = []
    hook = frameless.Final(sys.exit, lambda args, kwargs, frame: seen.append((args, kwargs, frame.f_code.co_name)))
    with pytest.raises(SystemExit) as caught:
        hook("bye")
    assert caught.value.code == "bye"
    assert seen == [(("bye",), {}, "test_a_final_call_is_seen_with_its_arguments")]


CALLS: list[str] = []


def quiet(word: str, number: int = 0) -> None:
    CALLS.append(word)
    if word == "bad":
        raise ChildProcessError


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The arguments of the calls of `quiet` that its hook saw."""
    found: list[Any] = []
    hook = frameless.Final(quiet, lambda args, kwargs, frame: found.append(args), returns=True)
    monkeypatch.setattr(sys.modules[__name__], "quiet", hook)
    return found


def test_a_call_that_returns_gives_none_to_those_who_look(seen: list[Any]) -> None:
    assert quiet("looked at") is None  # type: ignore[func-returns-value]
    quiet("thrown away")
    module = sys.modules[__name__]
    module.quiet("attribute")
    local = quiet
    local(str(len("nested")), number=int("1"))
    thread = threading.Thread(target=quiet, args=("thread",))
    thread.start()
    thread.join()
    assert seen == [("thrown away",), ("attribute",), ("6",), ("thread",)]
    with pytest.raises(ChildProcessError):
        quiet("bad")


def test_c_code_gets_what_the_original_returns(seen: list[Any]) -> None:
    results: list[Any] = []
    results.extend(map(quiet, "abc"))
    assert [*results, functools.partial(quiet, "d")(), functools.reduce(quiet, "ef")] == [None] * 5  # type: ignore[arg-type]
    CALLS.clear()
    any(map(quiet, "xyz"))
    assert CALLS == ["x", "y", "z"]
    with pytest.raises(ChildProcessError):
        any(map(quiet, ["good", "bad"]))
    assert seen == []


def test_pickle_goes_by_name() -> None:
    import os
    import posix

    original = os.abort
    try:
        frameless.final(os, "abort", lambda *_: None)
        assert pickle.loads(pickle.dumps(os.abort)) is os.abort is posix.abort
    finally:
        os.abort = posix.abort = original
