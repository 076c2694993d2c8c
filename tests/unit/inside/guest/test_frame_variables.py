"""Variables of running frames, read in place."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from whydied.inside.guest import frame_variables
from whydied.inside.guest.frame_variables import of_library, variable, variables


def _of_caller() -> dict[str, Any]:
    return dict(variables(sys._getframe(1)))


def test_arguments_locals_and_what_is_not_bound_yet() -> None:
    def function(first: int, *rest: int, key: str = "k", **more: int) -> dict[str, Any]:
        inside = [first]
        if key == "never":
            unbound = inside
            return {"unbound": unbound}
        return _of_caller()

    assert function(1, 2, 3, other=4) == {"first": 1, "key": "k", "rest": (2, 3), "more": {"other": 4}, "inside": [1]}


def test_cells_show_their_contents() -> None:
    def outer(argument: int) -> tuple[dict[str, Any], dict[str, Any]]:
        shared = [argument]

        def inner() -> tuple[dict[str, Any], dict[str, Any]]:
            return dict(variables(sys._getframe(0))), dict(variables(sys._getframe(1)))

        late: Callable[[], int] = lambda: argument  # noqa: E731
        assert shared
        found = inner() if late() and shared else ({}, {})
        return found[0] | {"seen": shared}, found[1]

    inner, outer_found = outer(7)
    assert inner["seen"] == [7]
    assert outer_found["argument"] == 7
    assert outer_found["shared"] == [7]


def test_the_body_of_a_class_is_its_namespace() -> None:
    class Body:
        value = 3
        found = _of_caller()

    assert Body.found["value"] == 3


def test_no_snapshot_stays_behind() -> None:
    value = 1
    before = locals()
    value = 2
    assert _of_caller()["value"] == 2
    if sys.version_info < (3, 13):
        assert before["value"] == 1
    assert value == 2


def test_the_frame_of_a_library_keeps_nothing_that_it_let_go_of() -> None:
    """A snapshot in the frame of `fit` kept each epoch's iterator, and its threads, through the next epoch."""

    class Iterator:
        pass

    def epoch() -> tuple[bool, bool]:
        held: Iterator | None = Iterator()
        gone = weakref.ref(held)
        seen = of_library(sys._getframe())["held"] is held
        held = None
        return seen, gone() is None

    assert epoch() == (True, True)


def test_a_library_that_asks_for_its_own_locals_keeps_them() -> None:
    value = 3
    own = locals()
    assert of_library(sys._getframe())["value"] == value
    assert own["value"] == 3


@pytest.fixture
def tried_again() -> Iterator[None]:
    frame_variables._layout_fits.cache_clear()
    yield
    frame_variables._layout_fits.cache_clear()


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="there the layout is not used")
def test_the_layout_is_the_one_of_this_python() -> None:
    assert frame_variables._layout_fits()


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="there the layout is not used")
@pytest.mark.parametrize("moved", ["_FIRST_SLOT", "_CODE"])
@pytest.mark.usefixtures("tried_again")
def test_another_layout_is_noticed_and_the_public_way_taken(moved: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame_variables, moved, getattr(frame_variables, moved) + 8)
    monkeypatch.setattr(frame_variables, "_through_layout", None)
    shared = [1]

    def function(argument: int) -> tuple[dict[str, Any], Any]:
        frame = sys._getframe()
        return dict(variables(frame)), variable(frame, "shared") if shared else None

    found, one = function(2)
    assert not frame_variables._layout_fits()
    assert (found["argument"], found["shared"], one) == (2, [1], [1])
