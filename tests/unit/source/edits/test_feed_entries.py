"""Edits of the entries of a feed."""

from __future__ import annotations

from whydied.source.edits.edit import edited
from whydied.source.edits.shapes.feed_entries import declared_width, fed_value
from whydied.source.text import Source

TEXT = """for part in parts:
    session.run(step, {x: rows[part], y: kinds[part]})
print(session.run(right, {x: rows[held], y: kinds[held]}))
print(session.run(right, {x: tests, y: others}))
"""


def test_the_same_array_is_changed_in_every_feed_of_its_placeholder() -> None:
    source = Source(TEXT)
    edits = fed_value(source, "/p/train.py", 2, "y", "np.eye(3)[{x}]")
    assert edits is not None
    text = edited(source, edits)
    assert text is not None
    assert text.count("np.eye(3)[kinds[part]]") == text.count("np.eye(3)[kinds[held]]") == 1
    assert "y: others" in text, "another array may be as it should"


def test_the_width_of_a_placeholder_has_a_name_that_any_line_can_see() -> None:
    text = "KINDS = 6\ny = tf.placeholder(tf.float32, [None, KINDS])\n"
    text += "def f(n):\n    y = tf.placeholder(tf.int32, (None, n))\n"
    assert declared_width(Source(text), 2) == "KINDS"
    assert declared_width(Source(text), 4) == ""
    assert declared_width(Source("y = tf.placeholder(tf.float32, [None, 6])\n"), 1) == ""
