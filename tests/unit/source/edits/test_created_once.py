"""State that a `tf.function` makes anew in each call, made once."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, source_of, whole
from whydied.source.edits.runs.created_once import created_once

HEAD = "import tensorflow as tf\nfrom keras import layers\n\n"
METHOD = """class Net:
    def __init__(self, n):
        self.n = n

    @tf.function
    def loss(self, x):
        seen = tf.Variable(0.0)  # counts

        seen.assign_add(1.0)
        return x * seen
"""


def _changed(text: str, line: int) -> str | None:
    source = source_of(HEAD + text)
    found = created_once(source, FILE, line + 3)
    return (whole(source, found.edits) or "").removeprefix(HEAD) if found is not None else None


def test_a_variable_of_a_method_becomes_an_attribute() -> None:
    assert _changed(METHOD, 7) == (
        "class Net:\n"
        "    def __init__(self, n):\n"
        "        self.n = n\n"
        "        self.seen = tf.Variable(0.0)  # counts\n"
        "\n"
        "    @tf.function\n"
        "    def loss(self, x):\n"
        "\n"
        "        self.seen.assign_add(1.0)\n"
        "        return x * self.seen"
    )


def test_its_arguments_may_be_what_the_constructor_keeps_and_its_name_one_that_is_free() -> None:
    text = METHOD.replace("0.0)", "tf.zeros([self.n]))").replace("self.n = n", "self.n = n\n        self.seen = 0")
    changed = _changed(text, 8)
    assert changed is not None
    assert "        self.seen_2 = tf.Variable(tf.zeros([self.n]))  # counts\n" in changed
    assert "return x * self.seen_2" in changed


def test_a_class_without_constructor_gets_one() -> None:
    text = "class Net(tf.Module):\n    @tf.function\n    def step(self, x):\n        return layers.Dense(4)(x)\n"
    assert _changed(text, 4) == (
        "class Net(tf.Module):\n"
        "    def __init__(self, *args, **kwargs):\n"
        "        super().__init__(*args, **kwargs)\n"
        "        self.dense = layers.Dense(4)\n"
        "\n"
        "    @tf.function\n"
        "    def step(self, x):\n"
        "        return self.dense(x)"
    )


def test_an_attribute_that_a_method_makes_moves_as_it_is() -> None:
    text = METHOD.replace("seen = tf", "self.seen = tf").replace("seen.assign", "self.seen.assign")
    changed = _changed(text, 7)
    assert changed is not None
    assert changed.count("self.seen = ") == 1
    assert changed.index("self.seen = ") < changed.index("@tf.function")


def test_an_attribute_that_keras_has_a_meaning_for_is_not_taken() -> None:
    text = METHOD.replace("Net:", "Net(tf.keras.Model):").replace("seen", "optimizer")
    changed = _changed(text.replace("tf.Variable(0.0)", "tf.keras.optimizers.Adam()"), 7)
    assert changed is not None
    assert "        self.own_optimizer = tf.keras.optimizers.Adam()  # counts\n" in changed


PLAIN = """step = 3

@tf.function(jit_compile=True)
def train(x, y):
    total = tf.Variable(tf.zeros([3]),
                        trainable=False)
    with tf.GradientTape() as tape:
        dense = layers.Dense(1)
        out = dense(x)
    return total + out
"""


def test_what_a_function_makes_moves_above_its_decorators() -> None:
    assert _changed(PLAIN, 9) == (
        "step = 3\n"
        "\n"
        "total = tf.Variable(tf.zeros([3]),\n"
        "                    trainable=False)\n"
        "dense = layers.Dense(1)\n"
        "\n"
        "\n"
        "@tf.function(jit_compile=True)\n"
        "def train(x, y):\n"
        "    with tf.GradientTape() as tape:\n"
        "        out = dense(x)\n"
        "    return total + out"
    )


def test_a_name_that_is_taken_outside_is_not_taken_over() -> None:
    changed = _changed(PLAIN.replace("total", "step"), 5)
    assert changed is not None
    assert "step_2 = tf.Variable" in changed
    assert "return step_2 + out" in changed


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tf.zeros([3])", "tf.zeros_like(x)"),
        ("    return total", "    total = total + 1\n    return total"),
        ("    return total", "    total += 1\n    return total"),
        ("def train(x, y):", "def train(x, y):\n    global total"),
        ("    total = tf.Variable", "    for _ in x: total = tf.Variable"),
        ("    total = tf.Variable", "    if x is None: total = tf.Variable"),
    ],
)
def test_what_belongs_to_the_call_stays_there(old: str, new: str) -> None:
    text = PLAIN.replace(old, new)
    line = next(at for at, one in enumerate(text.splitlines(), 1) if "tf.Variable" in one)
    assert _changed(text, line) is None


def test_an_argument_of_the_constructor_hides_a_name_of_the_module() -> None:
    assert _changed(METHOD.replace("Variable(0.0)", "Variable(n)"), 7) is None
    assert _changed(METHOD.replace("Variable(0.0)", "Variable(self.other)"), 7) is None
    assert _changed(METHOD.replace("Variable(0.0)", "Variable(self)"), 7) is None
