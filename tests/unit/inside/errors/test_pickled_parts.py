"""What cannot be pickled is found in what was to be pickled, without running any of its code."""

from __future__ import annotations

import functools
import threading
from multiprocessing.reduction import ForkingPickler
from types import TracebackType
from typing import Any

import pytest

from whydied.inside.errors.pickled_parts import look
from whydied.records import PartRefused


class _Loader:
    def __init__(self) -> None:
        self.path = "a.h5"
        self.parts = {"lock": threading.Lock()}

    def work(self, number: int) -> int:
        return number


class _Closed:
    """As an open file of a library: its own method refuses."""

    def __reduce__(self) -> str:
        raise TypeError("these cannot be pickled")


class _Holder:
    def __init__(self) -> None:
        self.file = _Closed()


def _refused(thing: Any) -> PartRefused | None:
    try:
        ForkingPickler.dumps(thing)
    except Exception as error:
        steps: list[TracebackType] = []
        trace = error.__traceback__
        while trace is not None:
            steps.append(trace)
            trace = trace.tb_next
        return look(0, error, steps)
    return None


@pytest.mark.parametrize("given", [(0, _Loader()), (0, _Loader().work), functools.partial(_Loader().work, 1)])
def test_a_lock_is_found_by_its_type(given: Any) -> None:
    found = _refused(given)
    assert found is not None
    assert (found.type, found.owner, found.attribute) == ("_thread.lock", "_Loader", "parts")
    assert found.path.endswith(".parts['lock']")


def test_what_refuses_itself_is_found_by_its_method() -> None:
    found = _refused([_Holder()])
    assert found is not None
    assert (found.owner, found.attribute, found.path) == ("_Holder", "file", "[0].file")


def test_functions_without_a_name_in_their_module() -> None:
    def inner() -> None: ...

    found = _refused((inner, 1))
    assert found is not None
    assert found.function.endswith("<locals>.inner")
    assert found.line == inner.__code__.co_firstlineno


def test_what_can_be_pickled_and_other_errors_say_nothing() -> None:
    assert _refused((0, "plain")) is None
    with pytest.raises(TypeError) as raised:
        raise TypeError("cannot pickle '_thread.lock' object")
    assert look(0, raised.value, [raised.tb]) is None


class _Process:
    def __init__(self) -> None:
        self.popen = None
        self.args = (number for number in range(3))


def test_none_is_not_taken_for_the_part_where_no_method_of_a_part_raised() -> None:
    found = _refused(_Process())
    assert found is not None
    assert (found.type, found.attribute) == ("builtins.generator", "args")
