"""The function of the program that could not take what it was called with, found while its frames are alive."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from whydied.inside.errors import operands
from whydied.inside.errors.api import refused_call
from whydied.inside.errors.stack_steps import steps_of
from whydied.inside.guest.ownership import Ownership
from whydied.records import ApiCalled


class Score:
    def update_state(self, y_true: int, y_pred: int) -> None:
        """Takes no weights."""


class Block:
    def __int__(self, filters: int) -> None:  # type: ignore[misc]
        """Should be a constructor."""


def _refused(call: Callable[[], Any]) -> ApiCalled | None:
    try:
        call()
    except TypeError as error:
        ownership = Ownership(os.getcwd())
        steps = steps_of(error.__traceback__, None, ownership)
        last = steps[-1]
        failure = operands.failing(last.trace, last.file) if last.trace is not None and last.file else None
        return refused_call.look(0, error, steps, failure, ownership)
    raise AssertionError("nothing was raised")


def _wrong_word() -> None:
    score: Any = Score()
    score.update_state(1, y_pred=2, sample_weight=3)


def _too_many() -> None:
    kind: Any = Block
    kind(8)


def _of_the_interpreter() -> None:
    len(1, 2)  # type: ignore[call-arg]


def _inside() -> None:
    raise TypeError("update_state: cannot add these")


def test_the_def_is_found_by_its_name() -> None:
    found = _refused(_wrong_word)
    assert found is not None
    assert found.function == "Score.update_state"
    assert found.defined is not None
    assert found.defined.line == Score.update_state.__code__.co_firstlineno
    assert found.caller == ""
    assert found.call == "score.update_state(1, y_pred=2, sample_weight=3)"


def test_a_misspelt_constructor_is_found() -> None:
    found = _refused(_too_many)
    assert found is not None
    assert (found.callee, found.misspelt) == ("Block", "__int__")


def test_other_type_errors_are_left_alone() -> None:
    assert _refused(_of_the_interpreter) is None
    assert _refused(_inside) is None
