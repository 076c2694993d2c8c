"""Which known cause a run has the signature of. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from whydied.diagnose.case import Case, root_of
from whydied.diagnose.catalogue.known_causes import KNOWN, KnownCause
from whydied.diagnose.crash.native_crash import crash_of, kernel_of
from whydied.diagnose.gpu.devices import CRASHES
from whydied.texts.native_text import NativeWords, native_words

_LAST_LINES = 200


class Match(NamedTuple):
    """`line` is the text in which the signature was found."""

    known: KnownCause
    line: str
    groups: dict[str, str]

    def filled(self, words: str) -> str:
        """Words with what the signature found; a group that found nothing leaves no gap."""
        text = words
        for name, value in self.groups.items():
            # A group that stands right behind a word is an addition to it and brings its own space.
            text = re.sub(rf"(?<=\w)\{{{name}\}}", (f" {value}" if value else "").replace("\\", r"\\"), text)
            text = text.replace(f"{{{name}}}", value)
        return text


def words_of(case: Case) -> NativeWords | None:
    """What native code said before it gave up, with the op and the frames from our own handler where it did not."""
    if _asked_for(case):
        return None
    words = native_words(case.recording.output, case.principal.pid if case.principal else None)
    seen = crash_of(case) if words is not None else None
    if words is None or seen is None:
        return words
    frames = words.frames or tuple(f"{frame.function}()" for frame in seen.frames if frame.function)
    return words._replace(kernel=words.kernel or kernel_of(case), frames=frames)


def spoken(case: Case) -> str:
    """What the program failed with: its exception, or what was printed last before a crash."""
    raised = case.uncaught
    if raised is not None and raised.chain:
        link = raised.chain[root_of(raised.chain)]
        return f"{link.type}: {link.message}"
    if case.signal not in CRASHES or _asked_for(case):
        return ""
    return "\n".join(case.recording.output.splitlines()[-_LAST_LINES:])


def _asked_for(case: Case) -> bool:
    """Whether the program sent itself the signal: what native code said before was not the reason."""
    asked = case.exit_request
    return asked is not None and asked.signal is not None and asked.signal == case.signal


def known_cause(case: Case) -> Match | None:
    text = spoken(case)
    if not text or (case.exit_code == 0 and case.signal is None):
        return None
    raised = case.uncaught is not None
    frames = () if raised else (words.frames if (words := words_of(case)) else ())
    for known in KNOWN:
        fits = known.raises if raised else case.signal in known.signals
        if not fits or not known.covers(case.recording.versions.get(known.package)):
            continue
        if known.frame is not None and not any(known.frame.search(frame) for frame in frames):
            continue
        if found := known.text.search(text):
            return Match(known, _line(text, found.start()), {k: v or "" for k, v in found.groupdict().items()})
    return None


def _line(text: str, at: int) -> str:
    begin = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[begin : end if end >= 0 else len(text)].strip()[:600]
