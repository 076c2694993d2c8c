"""Recorded text made safe to print. Pure.

Invariant of the result: no control character, no escape sequence, no mark that turns the reading
direction, no half of a surrogate pair. A program's own output can therefore not repaint the terminal of
whoever reads about it.
"""

from __future__ import annotations

import re
import unicodedata

_SEQUENCE = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # a title or a link
    r"|[\x1b\x9b]\[?[0-9:;<=>?]*[ -/]*[@-~]"  # colours, cursor, modes
)
_SPELLED = {
    "…": "...",
    "→": "->",
    "·": "|",
    "–": "-",
    "—": "-",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "×": "x",
    "✓": "+",
    "✗": "x",
    "•": "*",
    "━": "-",
    "─": "-",
    "│": "|",
    **dict.fromkeys("▁▂▃▄▅▆▇█", "#"),
}
_HARMLESS_FORMAT = "\u00ad\u200c\u200d\ufeff"


def block(text: str) -> str:
    """Safe text that keeps its line breaks."""
    joined = text.replace("\r\n", "\n").replace("\x0b", "\n").replace("\x0c", "\n").expandtabs(4)
    return "".join(_visible(character) for character in _SEQUENCE.sub("", joined))


def line(text: str) -> str:
    """Safe text on one line, its runs of white space made one space."""
    return " ".join(block(text).split())


def spelled(text: str, encoding: str) -> str:
    """The text in characters that an encoding has; the others are written as ASCII."""
    try:
        text.encode(encoding)
        return text
    except UnicodeEncodeError:
        ascii_form = "".join(_SPELLED.get(character, character) for character in text)
        return ascii_form.encode(encoding, "backslashreplace").decode(encoding)
    except LookupError:
        return text.encode("ascii", "backslashreplace").decode("ascii")


def replacement(error: UnicodeError) -> tuple[str, int]:
    """An error handler of codecs: `spelled`, for text that is on its way already."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    shown = "".join(_SPELLED.get(character, character) for character in lacking)
    return shown.encode("ascii", "backslashreplace").decode("ascii"), error.end


def _visible(character: str) -> str:
    if character == "\n" or (character.isprintable() and character != "\u2800"):
        return character
    category = unicodedata.category(character)
    if category in ("Zs", "Zl", "Zp"):
        return " "
    if character in _HARMLESS_FORMAT:
        return ""
    return character.encode("unicode_escape").decode("ascii") if category != "Cs" else "\ufffd"
