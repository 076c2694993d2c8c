"""Edits of the entries of a feed."""

from __future__ import annotations

from whydied.source.edits.edit import edited
from whydied.source.edits.shapes.feed_entries import fed_value
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
