from __future__ import annotations

import pytest

from tests.unit.source.at import at
from whydied.source.text import Source
from whydied.source.training.session_calls import (
    LimitedSaver,
    as_key,
    bindings,
    calls_any,
    fed_for,
    fed_value,
    fetched,
    initialisers,
    limited_savers,
    may_initialise,
    placeholder,
    variable,
)

PROGRAM = """\
x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
keep = tf.placeholder(tf.float32, name="keep_prob")
w = tf.Variable(1.0)
b = tf.get_variable("bias", [3])
feed = {x: rows, keep: 0.5}
session.run([train, loss], feed_dict=feed)
loss = session.run(loss, {net.x: rows})
init = tf.global_variables_initializer()
"""


@pytest.mark.parametrize(
    ("node", "name", "line"),
    [
        ("Placeholder", "x", 1),
        ("net/Placeholder_1", "y", 1),
        ("keep_prob", "keep", 2),
        ("Placeholder_7", "Placeholder_7", None),
    ],
)
def test_a_placeholder_by_its_name_or_its_number(node: str, name: str, line: int | None) -> None:
    found, place = placeholder(at(PROGRAM, 1)[0], node)
    assert (found, place.line if place is not None else None) == (name, line)


def test_feeds() -> None:
    sources, place = at(PROGRAM, 6)
    assert fed_for(sources, place, "x") == "rows"
    assert fed_for(sources, place, "y") is None
    assert fed_value(sources, place) == "feed"
    _, last = at(PROGRAM, 7)
    assert fed_value(sources, last) == "rows"
    assert as_key(sources, last, "self.rate") == "net.rate"
    assert as_key(sources, last, "rate") == "rate"


def test_fetches_and_the_line_that_overwrites_one() -> None:
    sources, place = at(PROGRAM, 6)
    assert fetched(sources, place) == {"[train, loss]", "train", "loss"}
    found = bindings(sources, place, "loss")
    assert [(one.place.line, calls_any(one.value, ("run",)), one.loop) for one in found] == [(7, True, False)]
    assert bindings(sources, place, "train") == []


LOOPS = """\
x = tf.placeholder(tf.float32)
def show(counts):
    for x in counts:
        print(x)
class Net:
    def __init__(self):
        self.loss = tf.zeros(3)
for i, x in enumerate(rows):
    print([x for x in rows])
session.run(y, {x: 1})
"""


def test_what_binds_a_name_is_looked_for_where_it_lives() -> None:
    sources, place = at(LOOPS, 10)
    assert [(one.place.line, one.loop) for one in bindings(sources, place, "x")] == [(1, False), (8, True)]
    _, inside = at(LOOPS, 4)
    assert [one.place.line for one in bindings(sources, inside, "x")] == [3]
    assert [one.place.line for one in bindings(sources, place, "net.loss")] == [7]


def test_variables_and_their_initialisers() -> None:
    sources, _ = at(PROGRAM, 1)
    found = [variable(sources, node) for node in ("w", "net/bias", "other")]
    assert [(one[0], one[1].line) if one else None for one in found] == [("w", 3), ("b", 4), None]
    assert [place.line for place in initialisers(sources)] == [8]
    assert may_initialise(sources)
    assert not may_initialise(at("w = tf.Variable(1.0)", 1)[0])


def test_a_saver_that_saves_less_than_all_variables() -> None:
    text = (
        "def train(sess, kept):\n"
        "    loader = tf.train.Saver(kept)\n"
        "    loader.restore(sess, 'a')\n"
        "    saver = tf.train.Saver(var_list=kept, max_to_keep=3)\n"
        "    saver.save(sess, 'b')\n"
        "\n"
        "def other(sess):\n"
        "    saver = tf.train.Saver(tf.global_variables())\n"
        "    saver.save(sess, 'c')\n"
        "    tf.train.Saver().save(sess, 'd')\n"
        "    model.save('e')\n"
    )
    assert limited_savers({"/p/a.py": Source(text)}) == [LimitedSaver("/p/a.py", 4, "kept")]
