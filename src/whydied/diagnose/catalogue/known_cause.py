"""What a known cause is. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from whydied.diagnose.finding import Certainty
from whydied.texts.entry import Text


class KnownCause(NamedTuple):
    """A cause with its signature. `text` is looked for in the exception, or in what was printed before a crash;
    `frame` in the native stack, where one is asked for. `signals` are those that it may end with; an exception needs
    `raises`. `words` and `advice` may use the groups of `text` in braces. `package`, `since` and `before` bound the
    versions that have it: from `since` on, and not from `before` on."""

    name: str
    text: Text
    words: str
    advice: str
    references: tuple[str, ...]
    certainty: Certainty = "certain"
    signals: tuple[int, ...] = ()
    raises: bool = False
    frame: re.Pattern[str] | None = None
    package: str = "tensorflow"
    since: str = ""
    before: str = ""

    def covers(self, version: str | None) -> bool:
        """Whether a version may have it. One that is not known may."""
        if not version:
            return True
        number = numbers(version)
        return (not self.since or numbers(self.since) <= number) and (not self.before or number < numbers(self.before))

    @property
    def versions(self) -> str:
        """`tensorflow 2.20 and later`; empty where it is not bound to versions."""
        if self.since and self.before:
            return f"{self.package} {self.since} and later, before {self.before}"
        if self.since:
            return f"{self.package} {self.since} and later"
        return f"{self.package} before {self.before}" if self.before else ""


def numbers(version: str) -> tuple[int, ...]:
    """The release of a version; `2.20.0rc1` counts as `2.20.0`."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    parts = [int(part) for part in found[0].split(".")] if found else []
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)
