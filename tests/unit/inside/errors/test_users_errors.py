"""An error that a signal handler of the program's raises passes the places that expect errors of their own."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from types import FrameType, ModuleType
from typing import Any

import pytest

from whydied.inside.errors import near_names
from whydied.inside.guest import lookup


class Interrupting:
    """Looking at it takes so long that an alarm goes off."""

    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        os.kill(os.getpid(), signal.SIGALRM)
        return {}

    def __iter__(self) -> Iterator[str]:
        os.kill(os.getpid(), signal.SIGALRM)
        return iter(())


class Broken:
    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        raise ValueError("its own")


@pytest.fixture
def _alarm() -> Iterator[None]:
    def ring(number: int, frame: FrameType | None) -> None:
        raise TimeoutError("the program's")

    before = signal.signal(signal.SIGALRM, ring)
    yield
    signal.signal(signal.SIGALRM, before)


def _package() -> ModuleType:
    package = ModuleType("package")
    package.__path__ = Interrupting()  # type: ignore[assignment]
    return package


@pytest.mark.usefixtures("_alarm")
@pytest.mark.parametrize(
    "look",
    [lambda: lookup.instance_dict(Interrupting()), lambda: near_names._submodules(_package())],
    ids=["operands", "nearness"],
)
def test_what_a_handler_raises_goes_on(look: Callable[[], object]) -> None:
    with pytest.raises(TimeoutError, match="the program's"):
        look()


def test_an_error_of_the_object_does_not() -> None:
    assert lookup.instance_dict(Broken()) == {}
