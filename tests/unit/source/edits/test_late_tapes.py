"""A tape that opens below the loop that calls the model."""

from __future__ import annotations

from tests.unit.source.edits.written import FILE, source_of, whole
from whydied.source.edits.programs.late_tapes import late_tape
from whydied.source.location import Location

EPISODE = """
for episode in range(3):
    kept = []
    for step in range(5):
        kept.append(model(state)[0])  # acts

    returns = discounted(kept)
    with tf.GradientTape() as tape:
        loss = sum(kept)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
"""


def _changed(text: str) -> str | None:
    source = source_of(text)
    found = late_tape({FILE: source}, Location(file=FILE, line=len(source.lines), function="<module>"))
    return whole(source, found.edits) if found is not None else None


def test_the_loop_is_put_into_the_block() -> None:
    assert _changed(EPISODE) == (
        "for episode in range(3):\n"
        "    kept = []\n"
        "    with tf.GradientTape() as tape:\n"
        "        for step in range(5):\n"
        "            kept.append(model(state)[0])  # acts\n"
        "\n"
        "        returns = discounted(kept)\n"
        "        loss = sum(kept)\n"
        "    grads = tape.gradient(loss, model.trainable_variables)\n"
        "    optimizer.apply_gradients(zip(grads, model.trainable_variables))"
    )


def test_a_block_that_calls_the_model_or_lists_without_it() -> None:
    assert _changed(EPISODE.replace("sum(kept)", "sum(kept) - model(state)")) is None
    assert _changed(EPISODE.replace("kept.append(model(state)[0])", "kept.append(env.step(state))")) is None
    assert _changed(EPISODE.replace("loss = sum(kept)", "loss = other(returns)")) is None
