"""Which targets a loss accepts for an output. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from whydied.shapes.shape import conforms


def takes_numbers(loss: str) -> bool:
    """Whether a loss, by its name, wants one class number for each row of the output."""
    return "sparse" in loss.lower()


def is_a_loss(function: str) -> bool:
    """Whether a function of TensorFlow or Keras is a cross entropy, by its name."""
    return "crossentropy" in function or "cross_entropy" in function


def fits(loss: str, target: Sequence[int | None], output: Sequence[int | None]) -> bool:
    """Whether a target can go with an output. An axis of size 1 at the end of one of both is passed over, as Keras
    does."""
    target, output = list(target), list(output)
    if takes_numbers(loss):
        output = output[:-1]
        target = target[:-1] if len(target) == len(output) + 1 and target[-1] == 1 else target
    elif abs(len(target) - len(output)) == 1:
        longer = target if len(target) > len(output) else output
        if longer[-1] == 1:
            shortest = min(len(target), len(output))
            target, output = target[:shortest], output[:shortest]
    return conforms(target, output)
