from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whydied.report import plain


@pytest.mark.parametrize(
    ("recorded", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07rest", "rest"),
        ("\x1b]8;;http://x\x1b\\link", "link"),
        ("bell\x07", "bell\\x07"),
        ("a\tb", "a b"),
        ("right\u202eleft", "right\\u202eleft"),
        ("half \ud800", "half \ufffd"),
        ("two\nlines", "two lines"),
        ("progress 1\rprogress 2", "progress 1\\rprogress 2"),
        ("[bold]not markup[/bold]", "[bold]not markup[/bold]"),
        ("Grüße, 漢字 🙂", "Grüße, 漢字 🙂"),
    ],
)
def test_one_line(recorded: str, shown: str) -> None:
    assert plain.line(recorded) == shown


def test_a_block_keeps_its_lines() -> None:
    assert plain.block("a\r\n\tb\n") == "a\n    b\n"


@given(st.text(alphabet=st.characters()))
def test_nothing_but_printable_characters_is_left(text: str) -> None:
    assert plain.line(text).isprintable()
    assert all(line.isprintable() for line in plain.block(text).split("\n"))


def test_ascii_where_the_encoding_has_no_more() -> None:
    assert plain.spelled("a → b…", "ascii") == "a -> b..."
    assert plain.spelled("Ü", "ascii") == "\\xdc"
    assert plain.spelled("Ü", "latin-1") == "Ü"
    assert plain.spelled("Ü", "no-such-encoding") == "\\xdc"
