"""A tuple in the making breaks where anybody else has a reference to it: looking at all objects must not be that."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from whydied.inside.guest import tracked_objects

FIRST_ROOM = 10
"""CPython begins with so many places where the length is not known."""


class Thing:
    pass


class Pair(NamedTuple):
    left: object
    right: object


def _made_while(look: Callable[[list[Any]], object], at: int, many: int) -> tuple[Any, ...]:
    kept = []

    def items() -> Iterator[list[int]]:
        made: list[Any] = []
        for turn in range(many):
            if turn == at:
                kept.append(look(made))
            made.append([turn])
            yield made[-1]

    return tuple(items())


@pytest.mark.parametrize("at", [1, FIRST_ROOM - 1, FIRST_ROOM])
@pytest.mark.parametrize("many", [5, FIRST_ROOM, FIRST_ROOM + 7, 200])
def test_a_tuple_in_the_making_is_not_touched(at: int, many: int) -> None:
    assert len(_made_while(lambda made: tracked_objects.objects(), at, many)) == many
    assert len(_made_while(tracked_objects.reachable, at, many)) == many


def test_the_collectors_own_functions_do_touch_it() -> None:
    """What all this is for: where this no longer fails, it can go."""
    with pytest.raises(SystemError, match="bad argument to internal function"):
        _made_while(lambda made: gc.get_objects(), FIRST_ROOM, FIRST_ROOM + 7)


def test_threads_that_make_tuples_go_on_undisturbed() -> None:
    failed: list[BaseException] = []
    stop = threading.Event()

    def make() -> None:
        try:
            while not stop.is_set():
                assert len(tuple([turn] for turn in range(60))) == 60
        except BaseException as error:
            failed.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=make) for _ in range(2)]
    try:
        for thread in threads:
            thread.start()
        sought = Thing()
        holder = [sought]
        for _ in range(12):
            tracked_objects.objects()
            assert any(one is sought for one in tracked_objects.reachable([holder]))
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        for thread in threads:
            thread.join()
    assert not failed


def test_objects_are_all_but_exact_tuples() -> None:
    kept = [Thing(), {"a": Thing()}, ([],), Pair([], [])]
    found = {id(one) for one in tracked_objects.objects()}
    assert id(kept) in found
    assert [id(one) in found for one in kept] == [True, True, False, True]
    assert not any(type(one) is tuple for one in tracked_objects.objects())


def test_what_is_reachable_and_what_is_not() -> None:
    near, far, closed = Thing(), Thing(), Thing()
    far.kept = {"deep": (near,)}  # type: ignore[attr-defined]

    def function() -> Thing:
        return closed

    found = {id(one) for one in tracked_objects.reachable([[far], function])}
    assert {id(near), id(far), id(closed)} <= found
    assert id(function.__globals__) not in found


def test_only_so_much_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracked_objects, "LARGEST_REACHED", 50)
    crowd, hidden = [[Thing()] for _ in range(1000)], Thing()
    assert len(tracked_objects.reachable([crowd])) == 50
    long = [*crowd, hidden] * 6
    assert len(long) > tracked_objects.LONGEST
    assert tracked_objects.reachable([long]) == []


def test_nothing_is_kept() -> None:
    sought = Thing()
    before = sys.getrefcount(sought)
    tracked_objects.objects()
    tracked_objects.reachable([[sought]])
    assert sys.getrefcount(sought) == before
