from __future__ import annotations

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from whydied.report.terminal import sentences
from whydied.report.terminal.sentences import continued, put_json, say, spell_on, wrapped

WORDS = st.text(st.characters(blacklist_categories=("Cc", "Cf", "Cs", "Zs", "Zl", "Zp", "Mn", "Me")), max_size=30)


def test_a_sentence_is_broken_between_words_and_set_in() -> None:
    assert wrapped("the quick brown fox jumps", 12) == ["the quick", "brown fox", "jumps"]
    assert wrapped("  - the quick brown fox", 14, 2) == ["  - the quick", "    brown fox"]
    assert wrapped("short", 12) == ["short"]
    assert wrapped("", 12) == [""]


def test_a_word_that_no_line_holds_is_broken_where_it_has_parts() -> None:
    assert wrapped("see /home/someone/project/train.py", 20) == ["see /home/someone/", "project/train.py"]
    assert wrapped("a" * 25, 10) == ["a" * 10, "a" * 10, "a" * 5]


@given(st.lists(WORDS, max_size=12), st.integers(8, 60), st.integers(0, 4))
def test_no_line_is_too_wide_and_nothing_is_lost(words: list[str], width: int, hanging: int) -> None:
    line = " ".join(words)
    lines = wrapped(line, width, hanging)
    assert all(cell_len(part) <= width for part in lines)
    assert "".join("".join(lines).split()) == "".join(line.split())


def test_a_command_stays_a_command() -> None:
    command = "whydied show --runs /a/rather/long/path --all"
    lines = continued(command, 30)
    assert lines == ["whydied show --runs \\", "  /a/rather/long/path --all"]
    assert " ".join(line.removesuffix("\\").strip() for line in lines) == command
    assert continued("whydied show /no/line/holds/this/path/whole", 20)[-1] == "  /no/line/holds/this/path/whole"


class Pipe(io.TextIOWrapper):
    def __init__(self, encoding: str) -> None:
        super().__init__(io.BytesIO(), encoding=encoding)

    def written(self) -> bytes:
        self.flush()
        return self.buffer.getvalue()  # type: ignore[attr-defined]


def test_what_an_encoding_lacks_is_spelled(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = Pipe("ascii")
    monkeypatch.setattr(sys, "stdout", pipe)
    say("1 → 2 … ü")
    spell_on(pipe, None, io.StringIO())
    pipe.write("✓ é 模")
    assert pipe.written() == b"1 -> 2 ... \\xfc\n+ \\xe9 \\u6a21"


@pytest.mark.parametrize(("encoding", "shown"), [("ascii", rb'"\u00e9\ud83d\ude00"'), ("utf-8", '"é😀"'.encode())])
def test_json_means_the_same_in_any_encoding(encoding: str, shown: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = Pipe(encoding)
    monkeypatch.setattr(sys, "stdout", pipe)
    put_json('"é😀"\n')
    assert pipe.written() == shown + b"\n"


def test_a_pipe_gets_a_sentence_whole_and_columns_are_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = Pipe("utf-8")
    monkeypatch.setattr(sys, "stdout", pipe)
    say("word " * 40)
    monkeypatch.setenv("COLUMNS", "50")
    say("word " * 40)
    first, *others = pipe.written().decode().splitlines()
    assert len(first) == 200
    assert max(map(len, others)) <= 50
    assert sentences.columns_of(None) == 50


def test_what_is_spelled_fits_too(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = Pipe("ascii")
    monkeypatch.setattr(sys, "stdout", pipe)
    monkeypatch.setenv("COLUMNS", "40")
    say("a → " * 30)
    assert max(map(len, pipe.written().decode().splitlines())) <= 40


def test_a_closed_stream_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    say("nobody hears it")
