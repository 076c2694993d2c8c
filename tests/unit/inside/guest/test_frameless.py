from __future__ import annotations

import copy
import inspect
import pickle
import sys
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


def test_a_call_that_returns_gives_none_to_those_who_look() -> None:
    seen: list[Any] = []

    def quiet(word: str) -> None:
        if word == "bad":
            raise ChildProcessError

    hook = frameless.Final(quiet, lambda args, kwargs, frame: seen.append(args), returns=True)
    assert hook("looked at") is None
    hook("thrown away")
    assert seen == [("thrown away",)]
    with pytest.raises(ChildProcessError):
        hook("bad")


def test_pickle_goes_by_name() -> None:
    import os
    import posix

    original = os.abort
    try:
        frameless.final(os, "abort", lambda *_: None)
        assert pickle.loads(pickle.dumps(os.abort)) is os.abort is posix.abort
    finally:
        os.abort = posix.abort = original
