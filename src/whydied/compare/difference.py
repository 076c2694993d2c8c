"""What differs between two runs, one difference as a value. Pure."""

from __future__ import annotations

from typing import Literal

import msgspec

from whydied.source.location import Location

Kind = Literal["command", "code", "model", "data", "call", "version", "machine", "memory", "speed"]
KINDS: tuple[Kind, ...] = ("command", "code", "model", "data", "call", "version", "machine", "memory", "speed")
EFFECTS: tuple[Kind, ...] = ("memory", "speed")
"""What follows from the others, and is the reason of nothing."""
Verdict = Literal["proved", "refuted", "untested"]


class Hunk(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of a file that the second run has in the place of those that the first had. `first` counts from 1 and is
    the line before which something was taken away where `new` is empty."""

    file: str
    first: int
    old: list[str]
    new: list[str]

    @property
    def last(self) -> int:
        return self.first + max(0, len(self.new) - 1)


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """`what` differs: `good` in the first run, `bad` in the second. `because` says why it accounts for the end of the
    second, "" where nothing speaks for that; `weight` says how much does. `verdict` is that of a trial without it."""

    kind: Kind
    what: str
    good: str
    bad: str
    location: Location | None = None
    because: str = ""
    weight: float = 0.0
    hunk: Hunk | None = None
    verdict: Verdict = "untested"
    tried: str = ""
    """How the second program ended without this difference."""
