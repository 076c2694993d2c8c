from __future__ import annotations

from whydied.source.edits.edit import edited
from whydied.source.edits.tapes.early_losses import EarlyLoss, early_loss
from whydied.source.location import Location
from whydied.source.text import Source

FILE = "/p/fit.py"


def _found(text: str, line: int, *callers: int) -> tuple[EarlyLoss | None, str]:
    source = Source(text)
    places = [Location(file=FILE, line=one) for one in callers]
    found = early_loss({FILE: source}, Location(file=FILE, line=line), places)
    return found, (edited(source, found.edits) or "") if found is not None else ""


CALLABLE = """def fit(w, data):
    for step in range(9):
        cost = error(w, data)
        loss = lambda: {}
        optimizer.minimize(loss, var_list=[w])
        print(cost)
"""


def test_a_callable_that_returns_what_was_computed_before_it_computes_it() -> None:
    found, text = _found(CALLABLE.format("cost"), 5)
    assert found is not None
    assert (found.place.line, found.name, found.made) == (4, "cost", 3)
    assert "        loss = lambda: error(w, data)\n" in text
    assert "        cost = error(w, data)\n" in text


def test_a_callable_that_uses_the_variables_is_no_reason() -> None:
    assert _found(CALLABLE.format("cost + penalty(w)"), 5) == (None, "")
    assert _found(CALLABLE.format("scale"), 5) == (None, "")


CHAIN = """w = tf.Variable(1.0)
made = w * x
cost = tf.reduce_mean((made - y) ** 2)
optimizer.minimize(lambda: 2 * cost, [w])
"""


def test_several_statements_become_a_function() -> None:
    found, text = _found(CHAIN, 4)
    assert found is not None
    assert text == (
        "w = tf.Variable(1.0)\ndef loss():\n    made = w * x\n    cost = tf.reduce_mean((made - y) ** 2)\n"
        "    return 2 * cost\noptimizer.minimize(loss, [w])\n"
    )


NESTED = """def fit(model, x, y):
    guess = model(x)

    def objective():
        return squared(y, guess)

    optimizer.minimize(objective, model.trainable_variables)
"""


def test_a_function_computes_what_it_took_from_outside() -> None:
    _, text = _found(NESTED, 7)
    assert "        return squared(y, model(x))\n" in text
    assert "guess" not in text


PASSED = """def descend(cost, w):
    optimizer.minimize(lambda: cost, [w])
    return float(cost)

w = tf.Variable(1.0)
descend(error(w), w)
"""


def test_a_loss_that_is_passed_becomes_a_callable_in_the_call() -> None:
    found, text = _found(PASSED, 2, 6)
    assert found is not None
    assert found.place.line == 6
    assert "    optimizer.minimize(lambda: cost(), [w])\n    return float(cost())\n" in text
    assert "descend(lambda: error(w), w)\n" in text


BLOCK = """def step(x, y):
    guess = model(x)
    with tf.GradientTape() as tape:
        loss = error(y, {})
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
"""


def test_what_a_tape_uses_is_moved_into_its_block() -> None:
    found, text = _found(BLOCK.format("guess"), 6)
    assert found is not None
    assert (found.place.line, found.name) == (2, "guess")
    assert "def step(x, y):\n    with tf.GradientTape() as tape:\n        guess = model(x)\n        loss" in text


def test_a_block_that_calls_the_model_is_no_reason() -> None:
    assert _found(BLOCK.format("model(x)"), 6) == (None, "")


OWN = """class Line:
    def learn(self, x):
        cost = self.{}(x)
        self.opt.minimize(lambda: cost, var_list=[self.slope])
"""


def test_a_method_of_the_object_that_has_the_variables_computes_from_them() -> None:
    assert "minimize(lambda: self.error(x), var_list" in _found(OWN.format("error"), 4)[1]
    assert _found(OWN.format("data.error"), 4) == (None, "")
