"""Calls of layers and of the methods of parents, found while their frames are alive."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from whydied.inside.errors.api import called_api
from whydied.inside.guest.ownership import Ownership
from whydied.records import ApiCalled


class Block:
    def call(self, tokens: Any, height: int, width: int = 1) -> None:
        """Never reached."""

    def __call__(self, *args: Any) -> None:
        raise ValueError(
            "Only input tensors may be passed as positional arguments. The following argument value should be passed "
            f"as a keyword argument: {args[1]} (of type {type(args[1])})"
        )


class Curve(np.polynomial.Polynomial):
    def __init__(self, coef: Any) -> None:
        super(Curve, self).__init__()  # type: ignore[call-arg] # noqa: UP008


def _called(call: Callable[[], Any], depth: int) -> ApiCalled | None:
    try:
        call()
    except (TypeError, ValueError) as error:
        trace = error.__traceback__
        last = trace
        for _ in range(depth):
            assert last is not None
            last = last.tb_next
        assert last is not None
        # Keras cuts its own frames off.
        last.tb_next = None
        return called_api.look(0, error, trace, Ownership(os.getcwd()))
    raise AssertionError("nothing was raised")


def _by_position() -> None:
    block, height = Block(), 8
    block([1.0], height, 2)


def _made_there() -> None:
    Block()([1.0], 8)


def _through_super() -> None:
    Curve([1.0])


def test_a_layer_of_the_program_that_was_given_others_than_tensors() -> None:
    found = _called(_by_position, 1)
    assert found is not None
    assert (found.callee, found.function) == ("block", "Block.call")
    assert found.parameters == ["tokens", "height", "width"]
    assert [(one.parameter, one.value) for one in found.arguments[1:]] == [("height", "8"), ("width", "2")]
    made = _called(_made_there, 1)
    assert made is not None
    assert made.parameters == ["tokens", "height", "width"]


def test_a_method_of_the_parent_by_the_older_super() -> None:
    found = _called(_through_super, 2)
    assert found is not None
    assert found.call == "super(Curve, self).__init__()"
    assert found.required == ["coef"]
