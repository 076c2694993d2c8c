"""Initialisers, sessions, graphs and tapes."""

from __future__ import annotations

from tests.unit.source.edits.test_edits import FILE, lines_of, source_of
from whydied.source.edits.programs import session_edits as edits

TRAINING = """
import tensorflow as tf

def train():
    sess = tf.Session(config=c)
    sess.run(init())
    sess.run(other())
    w = tf.get_variable("w")
    for epoch in range(3):
        for batch in data:
            if batch:
                sess.run(w)
"""


def test_what_runs_once_stands_above_the_loops() -> None:
    source = source_of(TRAINING)
    lines = lines_of(source, edits.run_before(source, FILE, 11, "sess.run(start)"))
    assert lines[7:9] == ["    sess.run(start)", "    for epoch in range(3):"]
    block = source_of("for x in y:\n    with s:\n        for z in x:\n            run(z)\n")
    assert edits.before_loops(block, 4) == 3


def test_an_initialiser_moves_down_to_its_use() -> None:
    source = source_of(TRAINING)
    lines = lines_of(source, *edits.move_before_use(source, FILE, 5, 8))
    assert lines[4:8] == [
        "    sess.run(other())",
        '    w = tf.get_variable("w")',
        "    sess.run(init())",
        "    for epoch in range(3):",
    ]
    assert edits.move_before_use(source, FILE, 5, 6) == []
    assert edits.move_before_use(source, FILE, 1, 8) == []


def test_a_session_gets_its_graph() -> None:
    source = source_of(TRAINING)
    assert lines_of(source, edits.with_graph(source, FILE, 4, "g"))[3] == "    sess = tf.Session(config=c, graph=g)"
    assert edits.with_graph(source, FILE, 7, "g") is None


def test_eager_execution_goes_off_below_the_import() -> None:
    source = source_of("import os\nimport tensorflow as tf\nx = 1\n")
    lines = ["import os", "import tensorflow as tf", "", "tf.compat.v1.disable_eager_execution()", "x = 1"]
    assert lines_of(source, edits.without_eager(source, FILE)) == lines
    old = source_of("import tensorflow.compat.v1 as tf\n")
    assert lines_of(old, edits.without_eager(old, FILE))[-1] == "tf.disable_eager_execution()"
    assert edits.without_eager(source_of("from tensorflow import keras\n"), FILE) is None


TAPE = """
with tf.GradientTape() as tape:
    y = w * x

scaled = y * 2
loss = tf.reduce_sum(
    scaled
)
grads = tape.gradient(loss, w)
"""


def test_what_stands_between_goes_into_the_tape_too() -> None:
    source = source_of(TAPE)
    assert lines_of(source, *edits.into_tape(source, FILE, 5, "tape"))[2:8] == [
        "",
        "    scaled = y * 2",
        "    loss = tf.reduce_sum(",
        "        scaled",
        "    )",
        "grads = tape.gradient(loss, w)",
    ]
    assert edits.into_tape(source, FILE, 8, "tape") == []
    assert edits.into_tape(source, FILE, 5, "other") == []
    watched = edits.watch(source, FILE, 8, "tape", "w")
    assert lines_of(source, watched)[1] == "    tape.watch(w)"


def test_an_op_is_made_before_the_graph_is_closed() -> None:
    source = source_of("a = b()\ng.finalize()\nfor n in range(3):\n    op = a * 2\n    run(op)\n")
    lines = ["a = b()", "op = a * 2", "g.finalize()", "for n in range(3):", "    run(op)"]
    assert lines_of(source, *edits.create_before(source, FILE, 4, 2)) == lines
    depends = source_of("g.finalize()\nfor n in range(3):\n    op = a * n\n    run(op)\n")
    assert edits.create_before(depends, FILE, 3, 1) == []


def test_a_session_is_closed_by_its_block() -> None:
    source = source_of(
        "def score():\n    sess = tf.InteractiveSession(graph=g)\n    if x:\n        run()\n\n    return y\n"
    )
    assert lines_of(source, *edits.as_block(source, FILE, 2)) == [
        "def score():",
        "    with tf.Session(graph=g) as sess:",
        "        if x:",
        "            run()",
        "",
        "        return y",
    ]
    assert edits.as_block(source_of("self.sess = tf.Session()\nrun()\n"), FILE, 1) == []
    assert edits.as_block(source_of("sess = tf.Session()\n"), FILE, 1) == []
    assert edits.as_block(source_of("sess = tf.Session()\nsess.run(x)\nkept.append(sess)\n"), FILE, 1) == []
