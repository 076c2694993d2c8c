"""Keeps secrets out of recordings: what looks like a key, a token or a password is replaced before it is written.

Runs in every process of ours. Environment values are never recorded at all, so only arguments and texts come here. The
time grows with the length of a text, whatever is in it: no repeat is tried again from each of its own characters.

What has been seen as a secret once, as the value of a variable of the environment that is named so or as an argument,
is replaced wherever it stands, also where nothing around it says what it is.
"""

from __future__ import annotations

import os
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
    r"(?=[spghrxAe])"  # A third of the time: most characters begin none of the forms.
    r"(?:\b(?:sk|pk|rk|ghp|gho|ghs|ghu|glpat|hf|xox[abpr]|AKIA|ASIA|AIza)[-_]?[A-Za-z0-9_-]{16,}"
    r"|(?<![\w-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)"
)
_ADDRESS = re.compile(r"(://[^\s/:@]*:)[^\s/@]+(@)")
# "Basic" is also a plain word: what follows it must look encoded.
_HEADER = re.compile(
    r"(\b(?:(?i:Bearer)\s{1,8}|(?i:Basic)\s{1,8}(?=[a-z]{0,100}[A-Z0-9+/=])))[^\s\"']{8,}",
)
# What stands before the word in a name is not part of this: it would be tried from each of its letters.
_INLINE = re.compile(rf"({_TAIL}[\"']?\s{{0,8}}[=:]\s{{0,8}}[\"']?)[^\s\"',;]{{4,}}", re.IGNORECASE)
# `--password hunter2` in the middle of a shell's line.
_GIVEN = re.compile(rf"((?<![\w.-])--?[\w.-]{{0,60}}?{_TAIL}\s{{1,8}})(?!-)[^\s\"',;]{{4,}}", re.IGNORECASE)
_USER = re.compile(r"^([^\s:/@]+:)[^\s/]+$")
_USER_OPTIONS = frozenset({"-u", "--user", "--proxy-user"})
# In code only what stands in quotes is a value, also after `os.environ["API_KEY"] =` and `api_key: str =`; "[PAD]" and
# "<sep>" are words of tokenizers.
_LITERAL = re.compile(
    rf"({_TAIL}[\"']?[\])]?[ \t]{{0,8}}(?::[ \t]{{0,8}}[A-Za-z][\w.\[\]| ]{{0,60}})?"
    r"[=:][ \t]{0,8}[bBrRuU]{0,2}[\"']{1,3})(?![\[<{])[^\"'\n]{4,}",
    re.IGNORECASE,
)
# `["mysql", "--password", "hunter2"]`.
_LISTED = re.compile(
    rf"([\"']--?[\w.-]{{0,60}}?{_TAIL}[\"'],[ \t]{{0,8}}[bBrRuUfF]{{0,2}}[\"'])[^\"'\n]{{4,}}", re.IGNORECASE
)
_VARIABLE = re.compile(rf"(?:^|_){_WORD}S?$", re.IGNORECASE)
# Shorter ones would be found in the middle of words, and a path or a number is what it says.
_VALUE = re.compile(r"(?!/)(?!\d+$)(?!(?:true|false|none)$)\S{8,500}", re.IGNORECASE)
_MOST_VALUES = 100
_values: list[str] | None = None
"""Of secrets that were seen."""
_HINTS = ("pass", "secret", "token", "key", "credential", "auth", "bearer", "basic", "://")


def arguments(argv: Iterable[str]) -> list[str]:
    """The arguments with whatever looks like a secret replaced, their number unchanged."""
    clean: list[str] = []
    before = ""
    for argument in argv:
        if _OPTION.match(before) and not argument.startswith("-"):
            _note(argument)
            clean.append(HIDDEN)
            before = ""
            continue
        if assigned := _ASSIGNED.match(argument):
            _note(argument[assigned.end(1) :])
        named = _USER.sub(rf"\1{HIDDEN}", argument) if before in _USER_OPTIONS else argument
        clean.append(text(_ASSIGNED.sub(rf"\1{HIDDEN}", named)))
        before = argument
    return clean


def text(words: str) -> str:
    """A free text (a message, a log line) with whatever looks like a secret replaced."""
    for value in _seen():
        words = words.replace(value, HIDDEN)
    known = _ADDRESS.sub(rf"\1{HIDDEN}\2", _KNOWN.sub(HIDDEN, words))
    for pattern in (_HEADER, _GIVEN, _INLINE):
        known = pattern.sub(rf"\1{HIDDEN}", known)
    return known


def output(data: bytes) -> bytes:
    """A piece of what a program wrote. Lines without any word of a secret, nearly all of them, cost little."""
    found = data.decode("latin-1")
    for value in _seen():
        found = found.replace(value, HIDDEN)
    found = _KNOWN.sub(HIDDEN, found)
    if any(hint in found.lower() for hint in _HINTS):
        found = "\n".join(
            text(line) if any(hint in line.lower() for hint in _HINTS) else line for line in found.split("\n")
        )
    return found.encode("latin-1")


def source(code: bytes) -> bytes:
    """A program with each secret in it replaced by as many stars, so that every line and column stays. A name that only
    looks like a key (`skip_connection_weights`) stays too: outside strings and comments there are no values."""
    text = code.decode("latin-1")
    for value in _seen():
        text = text.replace(value, _starred(value))
    text = _KNOWN.sub(lambda found: _starred(found[0]) if _is_quoted(text, found.start()) else found[0], text)
    lines = text.split("\n")
    # All patterns over all lines would take twenty times as long, and this runs in the user's process.
    for at, line in enumerate(text.lower().split("\n")):
        if any(hint in line for hint in _HINTS):
            for pattern in (_ADDRESS, _HEADER, _LITERAL, _LISTED):
                lines[at] = pattern.sub(_hidden_value, lines[at])
    return "\n".join(lines).encode("latin-1")


def _seen() -> list[str]:
    """The secrets that are known by their values. The environment is read once: what a program puts there later, it
    writes as a value in its source."""
    global _values
    if _values is None:
        _values = []
        for name, value in os.environ.items():
            if _VARIABLE.search(name):
                _note(value)
    return _values


def _note(value: str) -> None:
    known = _seen()
    # As `latin-1` reads the bytes of an output, for those that are not ASCII.
    for form in {value, value.encode("utf-8", "replace").decode("latin-1")}:
        if _VALUE.fullmatch(form) and form not in known and len(known) < _MOST_VALUES and form != HIDDEN:
            known.append(form)
            known.sort(key=len, reverse=True)


def _hidden_value(found: re.Match[str]) -> str:
    """The match with the part after its first group starred, up to the second where it has one."""
    before, after = found[1], found[2] if found.re.groups > 1 else ""
    return before + _starred(found[0][len(before) : len(found[0]) - len(after)]) + after


def _starred(words: str) -> str:
    return "*" * len(words)


def _is_quoted(code: str, place: int) -> bool:
    """Whether a place may be in a string or a comment: there is a quote or a hash before it in its line, or a string of
    many lines is open."""
    line = code[code.rfind("\n", 0, place) + 1 : place]
    return any(sign in line for sign in "\"'#") or any(code.count(mark, 0, place) % 2 for mark in ('"' * 3, "'" * 3))
