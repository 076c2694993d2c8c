"""A tape that opens below the loop that calls the model."""

from __future__ import annotations

from tests.unit.source.edits.written import FILE, source_of, whole
from whydied.source.edits.tapes.late_tapes import late_tape
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


NETWORKS = """
class Trainer:
    def __init__(self):
        self.g, self.d, self.entropy = made()
    def loss(self, score):
        return self.entropy(score)
    def step(self, real):
        noise = normal(5)
        fake = self.g(noise)
        score, parts = self.d(fake)
        with tf.GradientTape() as g_tape, \\
                tf.GradientTape() as d_tape:  # both
            g_loss = self.loss(score)
            d_loss = -self.loss(score) + parts
        g_grads = g_tape.gradient(g_loss, self.g.trainable_variables)
        d_grads = d_tape.gradient(d_loss, self.d.trainable_variables)
        self.optimizer.apply_gradients(zip(g_grads, self.g.trainable_variables))
"""


def test_statements_that_call_networks_are_put_into_the_block_of_their_tapes() -> None:
    changed = _changed(NETWORKS)
    assert changed is not None
    assert changed.splitlines()[6:14] == [
        "        noise = normal(5)",
        "        with tf.GradientTape() as g_tape, \\",
        "                tf.GradientTape() as d_tape:",
        "            fake = self.g(noise)",
        "            score, parts = self.d(fake)",
        "            g_loss = self.loss(score)",
        "            d_loss = -self.loss(score) + parts",
        "        g_grads = g_tape.gradient(g_loss, self.g.trainable_variables)",
    ]
    nested = NETWORKS.replace(" as g_tape, \\\n                tf.G", " as g_tape:\n            with tf.G").replace(
        "            g_loss = self.loss(score)\n            d_",
        "                g_loss = self.loss(score)\n                d_",
    )
    changed = _changed(nested)
    assert changed is not None
    assert changed.splitlines()[7:12] == [
        "        with tf.GradientTape() as g_tape:",
        "            with tf.GradientTape() as d_tape:",
        "                fake = self.g(noise)",
        "                score, parts = self.d(fake)",
        "                g_loss = self.loss(score)",
    ]


def test_a_method_that_calls_the_network_within_the_block() -> None:
    assert _changed(NETWORKS.replace("self.entropy(score)", "self.entropy(self.g(score))")) is None
    # A method of a library's class that is not known may call it.
    assert _changed(NETWORKS.replace("self.loss(score) + parts", "self.other(score) + parts")) is None
    # What the block reads comes from elsewhere.
    assert _changed(NETWORKS.replace("score, parts = self.d(fake)", "score, parts = real")) is None


def test_the_loss_of_a_keras_model_that_gets_predictions() -> None:
    changed = _changed(
        "def train_step(self, data):\n"
        "    x, y = data\n"
        "    made, extra = self(x, training=True)\n"
        "    with tf.GradientTape() as tape:\n"
        "        loss = self.compute_loss(x, y, made)\n"
        "    grads = tape.gradient(loss, self.trainable_variables)\n"
    )
    assert changed is not None
    assert (
        "\n    with tf.GradientTape() as tape:\n        made, extra = self(x, training=True)\n        loss" in changed
    )
