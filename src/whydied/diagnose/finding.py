"""What a rule says: a finding with its place, culprit and evidence. Pure values, schema 1 of the JSON report."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from whydied.source.edits.edit import Change, Edit, Harm
from whydied.source.location import Location as Location

Certainty = Literal["certain", "likely", "possible"]
Outcome = Literal["finished", "failed", "died", "hung", "stopped", "running"]


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """Rows count from zero; the lists hold the first few, `count` all."""

    batch: list[int] = []
    dataset: list[int] = []
    count: int = 0


class Culprit(msgspec.Struct, frozen=True, kw_only=True):
    """What did it, named as in the source."""

    kind: str
    name: str | None = None
    shape: list[int | None] | None = None
    dtype: str | None = None
    bytes: int | None = None
    rows: Rows | None = None
    columns: list[int] = []
    value: str | None = None
    near: list[str] = []


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """A measured fact. `source` says which records or files it comes from, so that it can be checked."""

    fact: str
    value: Any
    source: str = msgspec.field(name="from")


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """One step of the way from the source of a bad value to what was seen of it. `kind` is "data", "weight", "op",
    "gradient", "loss" or "update"."""

    kind: str
    words: str
    location: Location | None = None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """`id`, `code`, `name` and `docs` are given by the engine; `because_of` is the id of the finding that
    brought this one about. `chain` is how a value went through the program, from the source to the symptom. `changes`
    are the edits that `advice` speaks of; the engine makes fixes of them, and takes them out of the finding."""

    id: str = ""
    code: str = ""
    name: str = ""
    message: str
    certainty: Certainty
    location: Location | None = None
    culprit: Culprit | None = None
    evidence: list[Evidence] = []
    because_of: str | None = None
    docs: str = ""
    advice: list[str] = []
    chain: list[Link] = []
    changes: list[Change] | msgspec.UnsetType = msgspec.UNSET


_TESTED = {"proved": "tried, it works", "refuted": "tried, it does not help", "untested": "not yet tried"}


def fails_alike(before: Any, after: Any) -> bool:
    """Whether a trial ended in the type of exception that the program had ended in."""
    if not isinstance(before, dict) or not isinstance(after, dict) or after.get("outcome") != "failed":
        return False
    return str(after.get("words", "")).startswith(f"{before.get('words', '')} at ")


class Fix(msgspec.Struct, frozen=True, kw_only=True):
    """What removes a cause. `answers` is the id of its finding, `patch` a unified diff of the source as it ran, `edits`
    the same for whoever writes it."""

    title: str
    kind: str
    answers: str
    value: Any = None
    verdict: Literal["proved", "refuted", "untested"] = "untested"
    before: Any = None
    after: Any = None
    patch: str | None = None
    harm: Harm = "changed result"
    edits: list[Edit] = []

    @property
    def tested(self) -> str:
        """What its verdict means, in a few words."""
        after = self.after.get("outcome") if isinstance(self.after, dict) else None
        if self.verdict == "proved" and after in ("failed", "stopped"):
            return "tried, it gets past this failure"
        if self.fails_alike:
            return "tried, it fails again in another way"
        return _TESTED[self.verdict]

    @property
    def fails_alike(self) -> bool:
        """Whether the program then failed with the same type of exception at the same line, of something else there: at
        most half of what is needed."""
        return self.verdict == "untested" and fails_alike(self.before, self.after)

    @property
    def compared(self) -> str:
        """`killed after 3 s before, finished in 9 s after`; empty where it was not tried."""
        if not isinstance(self.before, dict) or not isinstance(self.after, dict):
            return ""
        return f"{self.before.get('words', '')} before, {self.after.get('words', '')} after"


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A change that would remove the failure if `finding` is what caused it: to be tried on the program."""

    finding: Finding
    change: Change
