"""`minimize` of a loss as gradients on a tape."""

from __future__ import annotations

import ast

from whydied.source.edits.edit import edited
from whydied.source.edits.tapes.tape_edits import loss_on_tape
from whydied.source.text import Source
from whydied.source.trees import walk

FILE = "train.py"


def _changed(text: str) -> str | None:
    source = Source(text)
    call = next(one for one in walk(source.tree, ast.Call) if ast.unparse(one.func).endswith("minimize"))
    edits = loss_on_tape(source, FILE, call)
    return edited(source, edits) if edits else None


def test_the_statements_of_the_loss_go_onto_the_tape() -> None:
    text = "import tensorflow as tf\nx = 1\nloss = f(x)\nopt.minimize(loss, [w])\n"
    assert _changed(text) == (
        "import tensorflow as tf\nx = 1\nwith tf.GradientTape() as tape:\n    loss = f(x)\n"
        "opt.apply_gradients(zip(tape.gradient(loss, [w]), [w]))\n"
    )


def test_a_function_of_the_loss_is_called_on_the_tape() -> None:
    text = "import tensorflow as tf\nif True:\n    opt.minimize(lambda: f(w), var_list=[w])\n"
    assert _changed(text) == (
        "import tensorflow as tf\nif True:\n    with tf.GradientTape() as tape:\n        loss = f(w)\n"
        "    opt.apply_gradients(zip(tape.gradient(loss, [w]), [w]))\n"
    )


def test_what_is_not_plain_is_left() -> None:
    assert _changed("import tensorflow as tf\nstep = opt.minimize(loss, [w])\n") is None
    assert _changed("import tensorflow as tf\nopt.minimize(self.loss, [w])\n") is None
    assert _changed("loss = f()\nopt.minimize(loss, [w])\n") is None


def test_a_loss_that_was_computed_is_not_called_though_a_method_has_its_name() -> None:
    text = (
        "import tensorflow as tf\nclass Map:\n    def loss(self):\n        return 1\n"
        "    def step(self):\n        loss = self.loss()\n        self.opt.minimize(loss, [self.w])\n"
    )
    changed = _changed(text)
    assert changed is not None
    assert "        with tf.GradientTape() as tape:\n            loss = self.loss()\n" in changed
