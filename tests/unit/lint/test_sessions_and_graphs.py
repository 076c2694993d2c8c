from __future__ import annotations

import pytest

from tests.unit.lint.linted import lines

OPENED = """
import tensorflow.compat.v1 as tf
for trial in range(20):
    sess = tf.Session()
    print(sess.run(total))
    {end}
"""
BUILT = """
import tensorflow.compat.v1 as tf
rate = tf.Variable(0.1)
placed = tf.placeholder(tf.float32)
assign = tf.assign(rate, placed)
with tf.Session() as sess:
    for step in range(1000):
        {body}
"""


def test_sessions_of_a_loop() -> None:
    assert lines("LNT002", OPENED.format(end="pass")) == ["sess = tf.Session()"]
    function = "import tensorflow.compat.v1 as tf\ndef score():\n    s = tf.Session()\n    return s.run(x)\n"
    assert lines("LNT002", f"{function}for _ in range(9):\n    score()\n") == ["s = tf.Session()"]
    assert lines("LNT002", OPENED.format(end="sessions.append(sess)")) == ["sess = tf.Session()"]
    held = "class Scorer:\n    def __init__(self):\n        self.session = tf.Session()\n"
    built = f"import tensorflow.compat.v1 as tf\n{held}for _ in range(9):\n    Scorer()\n"
    assert lines("LNT002", built) == ["self.session = tf.Session()"]
    assert lines("LNT002", built.replace("for _ in range(9):\n    ", "one = ")) == []
    ended = held + "    def end(self):\n        self.session = None\n"
    assert lines("LNT002", built.replace(held, ended)) == []


@pytest.mark.parametrize(
    "text",
    [
        OPENED.format(end="sess.close()"),
        OPENED.format(end="sessions.append(sess)") + "for one in sessions:\n    one.close()\n",
        "import tensorflow.compat.v1 as tf\nfor _ in range(9):\n    with tf.Session() as sess:\n        sess.run(x)\n",
        "import tensorflow.compat.v1 as tf\nsess = tf.Session()\nfor _ in range(9):\n    sess.run(x)\n",
    ],
)
def test_sessions_that_are_closed_or_alone(text: str) -> None:
    assert lines("LNT002", text) == []


@pytest.mark.parametrize(
    "body",
    [
        "sess.run(tf.assign(rate, 0.1 * step))",
        "sess.run(rate * step)",
        "sess.run(tf.global_variables_initializer())",
        "if step != 0: sess.run(tf.global_variables_initializer())",
        "if not ready: sess.run(tf.global_variables_initializer())",
    ],
)
def test_a_graph_that_grows(body: str) -> None:
    assert lines("LNT003", BUILT.format(body=body)) == [body]


@pytest.mark.parametrize(
    "text",
    [
        BUILT.format(body="sess.run(assign, {placed: 0.1 * step})"),
        BUILT.format(body="tf.add(rate, 1)").replace("tf.Session() as sess", "open(path) as sess"),
        BUILT.format(body="sess.run(tf.assign(rate, 0.1))").replace("range(1000)", "range(3)"),
        BUILT.format(body="sess.run(tf.assign(rate, 0.1))")
        .replace(".compat.v1", "")
        .replace("tf.Session", "Session")
        .replace("tf.placeholder", "placeholder"),
        BUILT.format(body="tf.reset_default_graph(); sess.run(tf.assign(rate, 0.1))"),
        BUILT.format(body="if step == 0: sess.run(tf.global_variables_initializer())"),
        BUILT.format(body="if not ready: ready = sess.run(tf.global_variables_initializer())"),
    ],
    ids=["fed", "never run", "three rounds", "eager", "reset", "first round", "until it is ready"],
)
def test_graphs_that_do_not_grow(text: str) -> None:
    assert lines("LNT003", text) == []
