"""Lines that choose a learning rate: of an optimizer, and of a function that a callback asks."""

from __future__ import annotations

import pytest

from whydied.source.text import Source
from whydied.source.training.optimizer_rates import rate_settings

FILE = "/home/me/train.py"


def settings(text: str) -> list[tuple[int, float | None, bool]]:
    return [(one.location.line, one.value, one.scheduled) for one in rate_settings({FILE: Source(text)})]


def test_the_rate_of_an_optimizer() -> None:
    assert settings("optimizer = SGD(learning_rate=0.1)\n") == [(1, 0.1, False)]
    assert settings("optimizer = SGD()\n") == [(1, None, False)]


@pytest.mark.parametrize("call", ["LearningRateScheduler(rate)", "LearningRateScheduler(schedule=rate, verbose=1)"])
def test_what_a_function_returns_that_a_callback_asks(call: str) -> None:
    text = f"def rate(epoch):\n    if epoch < 5:\n        return 0.01\n    return 1e-3\n\ncallback = {call}\n"
    assert settings(text) == [(3, 0.01, True), (4, 1e-3, True)]


def test_a_lambda_and_a_function_of_elsewhere() -> None:
    assert settings("callback = LearningRateScheduler(lambda epoch: 0.5)\n") == [(1, 0.5, True)]
    assert settings("callback = LearningRateScheduler(other.rate)\n") == []
