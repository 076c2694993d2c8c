"""Keeps secrets out of recordings: what looks like a key, a token or a password is replaced before it is written.

Runs in every process of ours. Environment values are never recorded at all, so only arguments and texts come here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

HIDDEN = "<redacted>"
_WORD = r"(?:pass(?:word|wd|phrase)?|secret|token|api[-_]?key|apikey|access[-_]?key|private[-_]?key|credentials?|auth)"
# "token" and "auth_token_file" are words of secrets, "tokenizer" and "author" are not.
_NAME = rf"[\w.-]*{_WORD}s?(?:[-_.][\w.-]*)?"
_OPTION = re.compile(rf"^-{{1,2}}{_NAME}$", re.IGNORECASE)
_ASSIGNED = re.compile(rf"^(-{{0,2}}{_NAME}=).+$", re.IGNORECASE | re.DOTALL)
# Forms that services give to their keys: a known prefix, a signed web token, credentials in an address.
_KNOWN = re.compile(
    r"\b(?:sk|pk|rk|ghp|gho|ghs|ghu|glpat|hf|xox[abpr]|AKIA|ASIA|AIza)[-_]?[A-Za-z0-9_-]{16,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"
)
_ADDRESS = re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s/:@]*:)[^\s/@]+(@)", re.IGNORECASE)
_INLINE = re.compile(rf"(\b{_NAME}\s*[=:]\s*[\"']?)[^\s\"',;]{{4,}}", re.IGNORECASE)


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
        clean.append(_plain(_ASSIGNED.sub(rf"\1{HIDDEN}", argument)))
    return clean


def text(words: str) -> str:
    """A free text (a message, a log line) with whatever looks like a secret replaced."""
    return _INLINE.sub(rf"\1{HIDDEN}", _plain(words))


def _plain(words: str) -> str:
    return _ADDRESS.sub(rf"\1{HIDDEN}\2", _KNOWN.sub(HIDDEN, words))
