"""Products of matrices and vectors in one scope."""

from __future__ import annotations

import pytest

from whydied.source.edits.edit import edited
from whydied.source.edits.shapes.vector_products import vector_products
from whydied.source.text import Source

LOOP = """w = tf.Variable(tf.random_normal([4, 3]))
u = tf.Variable(tf.random_normal([4, 4]))
state = tf.zeros([4])
for t in range(5):
    step = tf.reshape(tf.slice(x, [t, 0], [1, 3]), [3])
    e = tf.matmul(w, step)
    state = tf.tanh(e + tf.matmul(u, state))
"""


def test_all_products_with_a_vector_are_changed() -> None:
    source = Source(LOOP)
    found = vector_products(source, "train.py", 6, {"w": 2, "step": 1})
    assert found is not None
    assert found.lines == [6, 7]
    assert found.vectors == ["step", "state"]
    text = edited(source, found.edits)
    assert text is not None
    assert "e = tf.linalg.matvec(w, step)" in text
    assert "tf.tanh(e + tf.linalg.matvec(u, state))" in text


def test_a_vector_on_the_left_turns_the_matrix() -> None:
    source = Source(
        "def f(v):\n    a = tf.zeros([3, 5])\n    h = tf.matmul(v, a)\n    return tf.matmul(tf.ones([2, 5]), h)\n"
    )
    found = vector_products(source, "train.py", 3, {"v": 1, "a": 2})
    assert found is not None
    assert "tf.linalg.matvec(a, v, transpose_a=True)" in [edit.text for edit in found.edits]


@pytest.mark.parametrize(
    "text",
    [
        # The only product with a vector.
        "a = tf.zeros([3, 3])\nb = tf.matmul(a, a)\nc = tf.matmul(b, v)\n",
        # Operands of which nothing is known.
        "a = load()\nb = tf.matmul(a, v)\nc = tf.matmul(a, other())\n",
        # Two vectors have no such product.
        "a = tf.zeros([3])\nb = tf.matmul(a, v)\nc = tf.matmul(a, v)\n",
    ],
)
def test_nothing_where_one_product_is_another_case(text: str) -> None:
    lines = text.splitlines()
    line = next(at for at, one in enumerate(lines, 1) if "v)" in one)
    assert vector_products(Source(text), "train.py", line, {"v": 1}) is None
