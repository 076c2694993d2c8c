"""Feeds, placeholders and results of v1 sessions."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.written import FILE, whole
from whydied.source.edits.shapes.feed_entries import (
    declared_shape,
    fed_elsewhere,
    fed_key,
    fed_more,
    fed_value,
    result_named,
)
from whydied.source.text import Source


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("s.run(y, {x: rows[0]})", "s.run(y, {x: rows[0][None]})"),
        ("feed = {x: rows[0]}\ns.run(y, feed_dict=feed)", "feed = {x: rows[0][None]}\ns.run(y, feed_dict=feed)"),
        ("s.run(y, {z: rows[0]})", None),
        ("s.run(y, feed)", None),
    ],
)
def test_the_value_of_an_entry(text: str, wanted: str | None) -> None:
    source = Source(text)
    assert whole(source, fed_value(source, FILE, len(source.lines), "x", "{x}[None]")) == wanted


def test_keys_and_entries_that_are_missing() -> None:
    source = Source("s.run(y, {'x': 1})")
    assert whole(source, fed_key(source, FILE, 1, "'x'", '"x:0"')) == 's.run(y, {"x:0": 1})'
    assert whole(source, fed_more(source, FILE, 1, "rate", "0.5")) == "s.run(y, {'x': 1, rate: 0.5})"
    bare = Source("s.run(y)")
    assert whole(bare, fed_more(bare, FILE, 1, "rate", "0.5")) == "s.run(y, feed_dict={rate: 0.5})"


def test_what_another_line_feeds_is_taken_where_it_means_the_same() -> None:
    source = Source("k = 0.5\ns.run(y, {rate: 1.0})\ns.run(y, {rate: k})\nfor r in rows:\n    s.run(y, {rate: r[0]})")
    assert [fed_elsewhere(source, line, "rate") for line in (2, 3, 5)] == ["1.0", "k", None]


def test_the_shape_of_a_placeholder() -> None:
    source = Source("x = tf.placeholder(tf.float32, [None, 8])")
    assert whole(source, declared_shape(source, FILE, 1, [None, 8], [None, 9])) == (
        "x = tf.placeholder(tf.float32, [None, 9])"
    )
    assert declared_shape(Source("x = tf.placeholder(tf.float32)"), FILE, 1, [None, 8], [None, 9]) is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("loss = s.run(loss)", "loss_value = s.run(loss)"),
        ("_, loss = s.run([step, loss])\nprint(loss)", "_, loss_value = s.run([step, loss])\nprint(loss_value)"),
        ("loss = s.run(loss)\ns.run(loss)\nlog(loss)", "loss_value = s.run(loss)\ns.run(loss)\nlog(loss_value)"),
        ("loss = s.run(loss)\nloss = 1", None),
        ("s.run(loss)", None),
    ],
)
def test_another_name_for_a_result(text: str, wanted: str | None) -> None:
    source = Source(text)
    assert whole(source, result_named(source, FILE, 1, "loss", "loss_value")) == wanted
