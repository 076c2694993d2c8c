from __future__ import annotations

from whydied.source.edits.edit import edited
from whydied.source.edits.programs.session_edits import computed_in_tape
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


OPEN = """with tf.GradientTape({}) as tape:
    score = critic(x)
grads = tape.gradient({}, weights)
optimizer.apply_gradients(zip(grads, weights))
"""


def test_a_loss_that_the_call_itself_computes_is_outside_of_the_tape() -> None:
    source = Source(OPEN.format("", "-score"))
    found = no_gradient({FILE: source}, Location(file=FILE, line=4))
    assert found is not None
    assert (found.place.line, found.name, found.kind) == (3, "-score", "in call")
    text = edited(source, computed_in_tape(source, FILE, 3, "tape"))
    assert text is not None
    assert text.splitlines()[1:4] == [
        "    score = critic(x)",
        "    loss = -score",
        "grads = tape.gradient(loss, weights)",
    ]


def test_a_loss_that_the_tape_saw_is_no_reason() -> None:
    assert no_gradient({FILE: Source(OPEN.format("", "score"))}, Location(file=FILE, line=4)) is None
