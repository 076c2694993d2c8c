"""Names of variables that are given to a tensor."""

from __future__ import annotations

import ast

import pytest

from whydied.source.edits.runs.weight_edits import assigned, instead
from whydied.source.text import Source
from whydied.source.training.rebound_variables import rebound

FILE = "/p/net.py"
LAYER = """class Base(Layer):
    def __init__(self):
        self.count = tf.Variable(0)
        self.rate = 0.1

class Memory(Base):
    def build(self, shape):
        self.table = self.add_weight(shape=shape)

    def call(self, x):
        self.table = self.table * 0.9 + x
        self.count += 1
        self.rate = self.rate * 0.9
        self.kept = tf.Variable(x)
        return x

    def reset(self):
        self.table = None
        self.table = self.add_weight(shape=(1,))
"""


def _found(text: str) -> list[tuple[str, int, int]]:
    return [(one.name, one.made, one.statement.lineno) for one in rebound({FILE: Source(text)})]


def test_attributes_that_another_method_made_a_variable_of() -> None:
    assert _found(LAYER) == [("self.table", 8, 11), ("self.count", 3, 12)]


@pytest.mark.parametrize(
    "text",
    [
        "w = tf.Variable(0.0)\nw = w - 0.1\n",
        "w, b = tf.Variable(0.0), tf.Variable(1.0)\nb -= 0.1\n",
        "w = [tf.Variable(0.0) for n in range(3)]\ndef step(n):\n    w[n] = w[n] - 0.1\n",
        "w = {'a': tf.Variable(0.0)}\nw['a'] = w['a'] - 0.1\n",
        "w = tf.Variable(0.0)\ndef step():\n    global w\n    w = w - 0.1\n",
        "class A:\n    def __init__(self):\n        self.w = tf.Variable(0.0)\na = A()\na.w = a.w - 0.1\n",
    ],
)
def test_names_and_items_that_are_computed_from_the_variable(text: str) -> None:
    assert len(_found(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "w = tf.Variable(0.0)\nw = other - 0.1\n",
        "w = w + 0.1\nw = tf.Variable(w)\n",
        "w = tf.Variable(0.0)\ndef step(w):\n    w = w - 0.1\n",
        "w = [tf.Variable(0.0), 3]\nw[1] = w[1] - 0.1\n",
        "w = tf.Variable(0.0)\nw = tf.Variable(w * 2)\n",
        "w = np.zeros(3)\nw = w - 0.1\n",
    ],
)
def test_other_values_under_the_name(text: str) -> None:
    assert _found(text) == []


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("w = w - a * b", "w.assign_sub(a * b)"),
        ("w = w * 0.9 + x", "w.assign(w * 0.9 + x)"),
        ("w += x", "w.assign_add(x)"),
        ("w *= a + b", "w.assign(w * (a + b))"),
        ("w, v = w - 1, v", ""),
        ("w //= 2", ""),
    ],
)
def test_the_statement_as_a_call(text: str, right: str) -> None:
    source = Source(text + "\n")
    node = source.tree.body[0]
    assert isinstance(node, ast.Assign | ast.AugAssign)
    assert instead(source, node) == right
    edit = assigned(source, FILE, node)
    assert (edit.text if edit is not None else "") == right
