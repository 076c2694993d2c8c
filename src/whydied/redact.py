"""Keeps secrets out of recordings: what looks like a key, a token or a password is replaced before it is written.

Runs in every process of ours. Environment values are never recorded at all, so only arguments and texts come here. The
time grows with the length of a text, whatever is in it: no repeat is tried again from each of its own characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

HIDDEN = "<redacted>"
_KEY = r"(?:api[-_]?|access[-_]?|session[-_.]?|private[-_]?)key"
_WORD = rf"(?:pass(?:word|wd|phrase)?|secret|token|{_KEY}|credentials?|auth)"
# "token" and "auth_token_file" are words of secrets, "tokenizer" and "author" are not.
_TAIL = rf"{_WORD}s?(?:[-_.][\w.-]{{0,100}})?"
_OPTION = re.compile(rf"^-{{1,2}}[\w.-]{{0,100}}{_TAIL}$", re.IGNORECASE)
_ASSIGNED = re.compile(rf"^(-{{0,2}}[\w.-]{{0,100}}{_TAIL}=).+$", re.IGNORECASE | re.DOTALL)
# Forms that services give to their keys: a known prefix, a signed web token, credentials in an address or a header.
_KNOWN = re.compile(
    r"\b(?:sk|pk|rk|ghp|gho|ghs|ghu|glpat|hf|xox[abpr]|AKIA|ASIA|AIza)[-_]?[A-Za-z0-9_-]{16,}"
    r"|(?<![\w-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
)
_ADDRESS = re.compile(r"(://[^\s/:@]*:)[^\s/@]+(@)")
# "Basic" is also a plain word: what follows it must look encoded.
_HEADER = re.compile(
    r"(\b(?:(?i:Bearer)\s{1,8}|(?i:Basic)\s{1,8}(?=[a-z]{0,100}[A-Z0-9+/=])))[^\s\"']{8,}",
)
# What stands before the word in a name is no part of this: it would be tried from each of its letters.
_INLINE = re.compile(rf"({_TAIL}[\"']?\s{{0,8}}[=:]\s{{0,8}}[\"']?)[^\s\"',;]{{4,}}", re.IGNORECASE)


def arguments(argv: Iterable[str]) -> list[str]:
    """The arguments with whatever looks like a secret replaced, their number unchanged."""
    clean: list[str] = []
    hide_next = False
    for argument in argv:
        if hide_next and not argument.startswith("-"):
            clean.append(HIDDEN)
            hide_next = False
            continue
        hide_next = bool(_OPTION.match(argument))
        clean.append(text(_ASSIGNED.sub(rf"\1{HIDDEN}", argument)))
    return clean


def text(words: str) -> str:
    """A free text (a message, a log line) with whatever looks like a secret replaced."""
    known = _ADDRESS.sub(rf"\1{HIDDEN}\2", _KNOWN.sub(HIDDEN, words))
    return _INLINE.sub(rf"\1{HIDDEN}", _HEADER.sub(rf"\1{HIDDEN}", known))
