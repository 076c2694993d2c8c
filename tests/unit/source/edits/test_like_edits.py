"""The same edit at statements that are written alike, and where it is not done."""

from __future__ import annotations

import pytest

from tests.unit.source.edits.test_edits import FILE, source_of
from whydied.source.edits.call_edits import replace_expression
from whydied.source.edits.edit import edited
from whydied.source.edits.like_edits import at_like_calls, likewise


def everywhere(text: str, line: int, old: str, new: str) -> list[list[str]]:
    """The texts, line by line, that the edit makes together with each set of like ones."""
    source = source_of(text)
    edit = replace_expression(source, FILE, line, old, new)
    assert edit is not None
    texts = [edited(source, [edit, *further]) for further in likewise(source, [edit])]
    assert None not in texts
    return [one.splitlines() for one in texts if one is not None]


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("h = Input(shape=(N,))\nc = Input(shape=(N,))\n", "N", "48", "c = Input(shape=(48,))"),
        ("y = f(train['s'])\nz = f(test['s'])\n", "train['s']", "train['s'] - 1", "z = f(test['s'] - 1)"),
        ("y = f(train['s'])\nz = f(labels)\n", "train['s']", "train['s'] - 1", "z = f(labels - 1)"),
        (
            "w = s.add('w', shape=[d, n])\nb = s.add('b', shape=[n])\n",
            "'w'",
            "name='w'",
            "b = s.add(name='b', shape=[n])",
        ),
        ("a = load('x.txt')\nb = load('y.txt')\n", "load('x.txt')", "load('x.txt')[0]", "b = load('y.txt')[0]"),
        ("H = 101\nW = 101\n", "101", "104", "W = 104"),
    ],
)
def test_it_is_done_with_the_names_that_stand_there(text: str, old: str, new: str, expected: str) -> None:
    assert [lines[1] for lines in everywhere(text, 1, old, new)] == [expected]


def test_the_other_items_of_a_list_are_alike() -> None:
    assert everywhere("m = join([left, right], 1)\n", 1, "left", "left.output") == [
        ["m = join([left.output, right.output], 1)"]
    ]


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("h = Input(shape=(N,))\nc = Input(shape=(M,))\n", "N", "48"),
        ("h = Input(shape=(N,))\nc = Dense(N)\n", "N", "48"),
        ("h = f(a)\nc = f(a - b)\n", "a", "a[0]"),
        ("H = 101\nW = 103\n", "101", "104"),
        ("h = f(a, k=1)\nc = g(a)\n", "a", "a + 1"),
    ],
)
def test_what_would_be_lost_or_is_another_thing_is_left(text: str, old: str, new: str) -> None:
    assert everywhere(text, 1, old, new) == []


def test_an_added_argument_is_added_once() -> None:
    text = "a = conv(8, 3)\nb = conv(16, 3)\nc = conv(16, 3, padding='same')\n"
    assert everywhere(text, 1, "3", "3, padding='same'") == [
        ["a = conv(8, 3, padding='same')", "b = conv(16, 3, padding='same')", "c = conv(16, 3, padding='same')"]
    ]


def test_more_calls_than_one_thing_has_are_left_alone() -> None:
    assert everywhere("a = f(1)\n" + "b = f(1)\n" * 20, 1, "1", "2") == []


def test_only_calls_with_the_same_sort_of_value_follow_at_once() -> None:
    source = source_of("a = s.add('w', [2])\nb = s.add('b', [1])\nc = s.add(shape)\nd = s.add(3)\n")
    edit = replace_expression(source, FILE, 1, "'w'", "name='w'")
    assert edit is not None
    text = edited(source, at_like_calls(source, [edit]))
    # What comes after a keyword is no longer Python; the other argument has to be named too.
    assert text is None
    source = source_of("a = s.add('w', shape=[2])\nb = s.add('b', shape=[1])\nc = s.add(shape)\nd = s.add(3)\n")
    edit = replace_expression(source, FILE, 1, "'w'", "name='w'")
    assert edit is not None
    text = edited(source, at_like_calls(source, [edit]))
    assert text is not None
    assert text.splitlines()[1:] == ["b = s.add(name='b', shape=[1])", "c = s.add(shape)", "d = s.add(3)"]
