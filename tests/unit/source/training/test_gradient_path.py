from __future__ import annotations

from whydied.source.location import Location
from whydied.source.text import Source
from whydied.source.training.gradient_path import NoGradient, no_gradient

FILE = "/p/train.py"
STEP = """def apply(tape, error, weights):
    gradients = tape.gradient(error, weights)
    optimizer.apply_gradients(zip(gradients, weights))

def step(x):
    with tf.GradientTape() as t:
        made = generator(x)
        loss = criterion(np.array([[1.0]]), judge({})[None])
    apply(t, loss, generator.weights)
"""


def _told(argument: str, *callers: int) -> NoGradient | None:
    sources = {FILE: Source(STEP.format(argument))}
    places = [Location(file=FILE, line=line) for line in callers]
    return no_gradient(sources, Location(file=FILE, line=3), places)


def test_a_loss_that_was_passed_in_is_followed_in_the_caller() -> None:
    found = _told("made.numpy()", 9)
    assert found is not None
    assert (found.place.line, found.name) == (8, "made.numpy()")


def test_without_the_caller_or_a_cut_there_is_no_reason() -> None:
    assert _told("made.numpy()") is None
    assert _told("made", 9) is None
