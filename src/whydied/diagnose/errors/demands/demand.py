"""One entry of a table of demands: the words of the library, and what the facts tell of them. Pure.

Invariant: an entry answers only where the recorded values, or the source, show the demand broken; else None.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import NamedTuple

from whydied.diagnose.case import Case
from whydied.diagnose.errors.advice import Advice
from whydied.diagnose.errors.quotation import Quotation
from whydied.diagnose.finding import Certainty, Location
from whydied.records import ErrorFacts, Party
from whydied.source.edits.call_edits import walk_calls
from whydied.source.text import Source


class Scene(NamedTuple):
    """The exception, and what was recorded of the call that it came out of."""

    case: Case
    said: Quotation
    facts: ErrorFacts | None

    def argument(self, *words: str) -> Party | None:
        """What a parameter was given; of several names that of the first that is there."""
        known = {one.role: one for one in self.facts.arguments} if self.facts is not None else {}
        return next((known[word] for word in words if word in known), None)

    @property
    def source(self) -> Source | None:
        return self.case.sources.get(self.said.place.file) if self.said.place is not None else None

    def calls(self, *names: str) -> list[ast.Call]:
        """The calls of these names in the failing statement."""
        place, source = self.said.place, self.source
        found = walk_calls(source, place.line) if place is not None and source is not None else []
        return [call for call in found if not names or _name(call) in names]

    def made_at(self, party: Party | None) -> Location | None:
        """The line that a value was made on, where that is known."""
        frames = [one.frame for one in party.sources if one.frame is not None] if party is not None else []
        return self.case.locate(frames[-1]) if frames else None


class Told(NamedTuple):
    """`culprit` is the value as the source writes it."""

    words: str
    advice: Advice
    place: Location | None = None
    culprit: str = ""
    certainty: Certainty = "certain"


class Entry(NamedTuple):
    pattern: re.Pattern[str]
    tell: Callable[[Scene], Told | None]


def shown(party: Party, otherwise: str) -> str:
    return f"`{party.text}`" if party.text and len(party.text) <= 60 else otherwise


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
