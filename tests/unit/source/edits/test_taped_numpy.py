from __future__ import annotations

from whydied.source.edits.edit import edited
from whydied.source.edits.tapes.taped_numpy import in_tensorflow
from whydied.source.location import Location
from whydied.source.text import Source

FILE = "/p/fit.py"


def _changed(text: str, line: int) -> list[str]:
    """The lines that are new."""
    source = Source(text)
    found = in_tensorflow({FILE: source}, Location(file=FILE, line=line), [])
    if found is None:
        return []
    after = (edited(source, found.edits) or "").splitlines()
    return [one.strip() for one in after if one not in source.lines]


TAPE = """import numpy as np
import tensorflow as tf

def loss_of(made, y):
    gap = made - y
    grid = np.linspace(0.0, 1.0, gap.shape[1])
    return {}

def step(model, x, y):
    with tf.GradientTape() as tape:
        made = model(x)
        loss = loss_of(made{}, y)
        seen.append(made.numpy())
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
"""


def test_what_leaves_tensorflow_on_the_way_to_the_loss_stays_in_it() -> None:
    text = TAPE.format("tf.constant(np.mean(grid * np.diff(gap) ** 2), dtype=tf.float32)", ".numpy()")
    assert _changed(text, 15) == [
        "return tf.reduce_mean(grid * (gap[..., 1:] - gap[..., :-1]) ** 2)",
        "loss = loss_of(made, y)",
    ]


def test_what_only_the_data_go_through_stays() -> None:
    assert _changed(TAPE.format("tf.reduce_mean(gap * np.mean(y) + np.sum(grid))", ""), 15) == []


def test_methods_of_arrays_become_operations() -> None:
    text = TAPE.format("float((gap.reshape(-1, 2).T ** 2).mean(axis=0).sum())", ".numpy()")
    assert _changed(text, 15)[0] == (
        "return tf.reduce_sum(tf.reduce_mean(tf.transpose(tf.reshape(gap, [-1, 2])) ** 2, axis=0))"
    )


def test_data_beside_a_value_with_a_gradient_are_cast_in_a_second_form() -> None:
    source = Source(TAPE.format("np.dot(grid, np.abs(gap))", ".numpy()"))
    found = in_tensorflow({FILE: source}, Location(file=FILE, line=15), [])
    assert found is not None
    assert "return tf.tensordot(grid, tf.abs(gap), 1)" in (edited(source, found.edits) or "")
    assert "return tf.tensordot(tf.cast(grid, tf.float32), tf.abs(gap), 1)" in (edited(source, found.with_casts) or "")
    assert set(found.replaced) == {"np.abs", "np.dot", ".numpy()"}


CALLABLE = """import numpy as np
import tensorflow as tf
w, b = tf.Variable(1.0), tf.Variable(0.0)

def misfit():
    size = np.array([one.numpy() for one in [w, b]])
    return tf.constant(np.sum(size) + noise())

optimizer.minimize(misfit, var_list=[w, b])
"""


def test_a_callable_is_followed_from_what_is_trained() -> None:
    assert _changed(CALLABLE, 9) == ["size = tf.stack([one for one in [w, b]])", "return tf.reduce_sum(size) + noise()"]
