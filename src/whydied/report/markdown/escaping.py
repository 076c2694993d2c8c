"""Recorded text as Markdown that says the same and does nothing. Pure.

Invariant: whatever the program's names, messages and files contain, the result has no markup, link, picture, mention,
reference or HTML of theirs, and no fence of theirs ends ours: in CommonMark, in GitHub's Markdown and in the one of
TensorBoard. A backslash keeps a character from being markup; of mentions (`@name`), references (`#1`), addresses and
emoji it does not, because GitHub looks for them in the finished page, and nowhere but in code: such words become code.
"""

from __future__ import annotations

import re

from whydied.report import plain

_SPAN = re.compile(r"(?<!`)`(?=\S)([^`]*[^`\s])`(?!`)")
"""How our own texts name code."""
_MARKUP = re.compile(r"([*\[]|(?<![^\W_])_|_(?![^\W_]))")
_LIVE = re.compile(r"[@#$~|`\\]|://|www\.|:(?!\d\d:)[\w+-]+:|\bGH-\d|^--\w", re.IGNORECASE)
"""What makes a word more than a word: mentions, references, mathematics, strike-through, tables, addresses, emoji,
code; a backslash before punctuation would be taken for an escape, and some set two hyphens as a dash."""
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ITEM = re.compile(r"^([-+]|\d+(?=[.)]))")
_TICKS = re.compile(r"`+")
_SHA = re.compile(r"\b[0-9a-f]{7,40}\b")


def spoken(text: str) -> str:
    """A sentence on one line. What it has between backticks is code, everything else stands as it is written."""
    pieces: list[tuple[bool, str]] = []
    for at, part in enumerate(_SPAN.split(plain.line(text))):
        words = [part] if at % 2 else re.split(r"(\s+)", part)
        for word in words:
            is_code = at % 2 == 1 or _is_live(word) or (not pieces and word.startswith("="))
            if word and pieces and pieces[-1][0] == is_code:
                pieces[-1] = (is_code, pieces[-1][1] + word)
            elif word:
                pieces.append((is_code, word))
    told = "".join(code(piece) if is_code else _plainly(piece) for is_code, piece in pieces)
    found = _ITEM.match(told)
    if found is None:
        return told
    # At the beginning of a line it would begin a list.
    return f"{told[: found.end()]}\\{told[found.end() :]}" if found[1].isdigit() else f"\\{told}"


def code(text: str) -> str:
    """A name or a value as code, whatever backticks it has."""
    shown = plain.line(text)
    if not shown:
        return ""
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    room = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{ticks}{room}{shown}{room}{ticks}"


def fenced(text: str, language: str = "") -> str:
    """Lines as a block of code."""
    shown = plain.block(text).rstrip("\n")
    ticks = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    return f"{ticks}{language}\n{shown}\n{ticks}"


def _is_live(word: str) -> bool:
    return bool(_LIVE.search(word) or (_SHA.search(word) and not word.isdigit()))


def _plainly(text: str) -> str:
    entities = "".join(_ENTITIES.get(character, character) for character in text)
    return _MARKUP.sub(r"\\\1", entities)
