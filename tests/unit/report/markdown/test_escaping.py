"""Whatever a program's texts contain, they are read as they are written, and do nothing: judged by two parsers."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from whydied.report import plain
from whydied.report.markdown.escaping import code, fenced, spoken

_SHOWN = {"text", "code_inline", "softbreak", "text_special"}
_POST_PROCESSED = re.compile(r"@\w|#\d|://|www\.|:(?!\d\d:)\w+:|~|\$", re.IGNORECASE)
"""What GitHub looks for in the finished text, outside of code."""
HOSTILE = (
    "<script>alert(1)</script>",
    "![x](http://evil.example/p.png)",
    "[click](javascript:alert(1))",
    "@everyone look at org/repo#1 and GH-7",
    "``` break out ```",
    "a ` b `` c ``` d",
    "- [ ] task",
    "1. first",
    "# heading",
    "> quote",
    "====",
    "***",
    "&lt;b&gt; &amp; &#64;",
    "trailing \\",
    "**bold** __bold__ _it_ ~~gone~~ $x$",
    "| a | b |",
    "[ref]: http://evil.example",
    "\u202egnp.exe \x1b[31mred\x1b[0m",
    "https://evil.example www.evil.example me@evil.example",
    ":tada: deadbeefcafe",
    "<!-- hidden -->",
)
MARKS = st.text(st.sampled_from(list("`*_[]()<>#+-.!|~&@:$=^\\ \n\tab1/\"'{}")), max_size=60)


def parsed(markdown: str) -> tuple[str, list[str]]:
    """The text that a reader sees, and what of it is not code; anything but text and code fails."""
    parser = MarkdownIt("gfm-like", {"linkify": False, "html": True})
    blocks = parser.parse(f"- {markdown}\n")
    assert [block.type for block in blocks if block.type.endswith("_open")] == [
        "bullet_list_open",
        "list_item_open",
        "paragraph_open",
    ], blocks
    inline = next(block for block in blocks if block.type == "inline")
    children = inline.children or []
    assert {child.type for child in children} <= _SHOWN, children
    return "".join(child.content for child in children), [one.content for one in children if one.type != "code_inline"]


def said(text: str) -> str:
    """The text without the backticks that mean code."""
    return re.sub(r"(?<!`)`(?=\S)([^`]*[^`\s])`(?!`)", r"\1", plain.line(text))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_only_text(text: str) -> None:
    shown, free = parsed(spoken(text))
    assert " ".join(shown.split()) == " ".join(said(text).split())
    assert not [part for part in free if _POST_PROCESSED.search(part)]


@given(st.one_of(MARKS, st.text(max_size=80)))
def test_any_text_is_only_text(text: str) -> None:
    if not plain.line(text):
        return
    shown, free = parsed(spoken(text))
    assert " ".join(shown.split()) == " ".join(said(text).split())
    assert not [part for part in free if _POST_PROCESSED.search(part)]


@given(st.one_of(MARKS, st.text(max_size=80)))
def test_tensorboard_reads_the_same(text: str) -> None:
    import markdown

    if not plain.line(text):
        return
    shown = markdown.markdown(spoken(text), extensions=["tables", "fenced_code"])
    assert set(re.findall(r"<(\w+)", shown)) <= {"p", "code"}, shown
    assert " ".join(html.unescape(re.sub(r"</?(?:p|code)>", "", shown)).split()) == " ".join(said(text).split())


@given(st.text(max_size=40))
def test_code_is_one_span(text: str) -> None:
    if not plain.line(text):
        assert code(text) == ""
        return
    inline = MarkdownIt("commonmark").parse(f"a {code(text)} z")[1]
    assert [child.content for child in inline.children or [] if child.type == "code_inline"] == [plain.line(text)]


@given(st.text(st.sampled_from(list("`~ab \n")), max_size=60))
def test_a_fence_holds_what_is_in_it(text: str) -> None:
    blocks = MarkdownIt("commonmark").parse(f"{fenced(text, 'python')}\n\nafter\n")
    assert [block.type for block in blocks] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert blocks[0].content.rstrip("\n") == plain.block(text).rstrip("\n")


def test_names_between_backticks_are_code_and_plain_names_stay_readable() -> None:
    assert spoken("the list `self.seen` of my_model holds [1500, 20] in train.py") == (
        "the list `self.seen` of my_model holds \\[1500, 20] in train.py"
    )
    assert spoken("at 02:08:19 it was :100: and :tada:") == "at 02:08:19 it was `:100:` and `:tada:`"
    assert spoken("--memory-limit allowed 1 GiB, see @me") == "`--memory-limit` allowed 1 GiB, see `@me`"
